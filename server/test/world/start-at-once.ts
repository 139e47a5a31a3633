import { vi } from "vitest";

/** Starts background tasks without the random delay, of up to two seconds, that spreads their first runs. */
export function startAtOnce<T>(start: () => T): T {
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  try {
    return start();
  } finally {
    random.mockRestore();
  }
}
