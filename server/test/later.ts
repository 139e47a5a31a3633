import { vi } from "vitest";

/** Asks as if so much time had passed in this process: what it keeps in memory for so long is old. No timer goes off. */
export async function later<T>(passedMs: number, ask: () => Promise<T>): Promise<T> {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs);
  try {
    return await ask();
  } finally {
    clock.mockRestore();
  }
}

/**
 * Asks as if this process were at that time, of `performance.now()`, and stood there, as the time of a test does once it
 * was set: else the service counts on from when it last asked the database, however long the answer takes.
 */
export async function atTime<T>(ms: number, ask: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(performance, "now").mockReturnValue(ms);
  try {
    return await ask();
  } finally {
    clock.mockRestore();
  }
}
