import { onTestFinished, vi } from "vitest";

/**
 * In this test, waits of about `fromMs` milliseconds (up to 100 ms more) end immediately. Returns the waits that were
 * started.
 */
export function skipWaits(fromMs: number): number[] {
  const waits: number[] = [];
  const wait = globalThis.setTimeout;
  const skip = (work: () => void, ms = 0, ...args: []) => {
    const isMeant = ms >= fromMs && ms <= fromMs + 100;
    if (isMeant) waits.push(ms);
    return wait(work, isMeant ? 0 : ms, ...args);
  };
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(skip as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
  return waits;
}
