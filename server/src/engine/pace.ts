const WINDOW_MS = 100;

export type Pace = { count: () => void; perWindow: () => number };

/** How many dispatches ended within the last tenth of a second. */
export function openPace(): Pace {
  let startedAt = 0;
  let now = 0;
  let before = 0;

  function advance(): void {
    const time = performance.now();
    if (time - startedAt < WINDOW_MS) return;
    before = time - startedAt < 2 * WINDOW_MS ? now : 0;
    now = 0;
    startedAt = time;
  }

  return {
    count: () => {
      advance();
      now++;
    },
    perWindow: () => {
      advance();
      return Math.max(now, before);
    },
  };
}
