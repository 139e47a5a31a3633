import { vi } from "vitest";

/**
 * Runs a call as if this much time had passed in this process, so that entries cached in memory are stale. Fires no
 * timer.
 */
export async function later<T>(passedMs: number, call: () => Promise<T>): Promise<T> {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
  try {
    return await call();
  } finally {
    clock.mockRestore();
  }
}

/**
 * Runs a call with the time of this process stopped at that value of `performance.now()`, as a test's clock is once
 * set. Otherwise the service extrapolates from its last database time, however long the call takes.
 */
export async function atTime<T>(ms: number, call: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(performance, "now").mockReturnValue(ms);
  try {
    return await call();
  } finally {
    clock.mockRestore();
  }
}
