export type WhenIdle = {
  /** Comes back when nothing is left to do. */
  wait: () => Promise<void>;
  /** Something has ended: whoever waits is told, if it was the last. */
  look: () => void;
};

export function openWhenIdle(isIdle: () => boolean): WhenIdle {
  let waiting: (() => void)[] = [];

  function look(): void {
    if (!isIdle()) return;
    for (const tell of waiting) tell();
    waiting = [];
  }

  return {
    look,
    wait: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        look();
      }),
  };
}
