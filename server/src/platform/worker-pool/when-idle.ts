export type WhenIdle = {
  /** Resolves when nothing is left to do. */
  wait: () => Promise<void>;
  /** An operation ended: wakes the waiters if it was the last. */
  check: () => void;
};

export function openWhenIdle(isIdle: () => boolean): WhenIdle {
  let waiting: (() => void)[] = [];

  function check(): void {
    if (!isIdle()) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    check,
    wait: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        check();
      }),
  };
}
