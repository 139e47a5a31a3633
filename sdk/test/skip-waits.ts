import { onTestFinished, vi } from "vitest";

/** Within this test, waits of these milliseconds, or up to a tenth of a second more, are over at once. Answers those that began. */
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
