import { vi } from "vitest";

/**
 * Asks while the time of this process stands still, as that of a test does once it was set: else the service counts on
 * from when it last asked the database, and on a busy machine comes seconds past what the test has set.
 */
export async function stopped<T>(ask: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  try {
    return await ask();
  } finally {
    clock.mockRestore();
  }
}
