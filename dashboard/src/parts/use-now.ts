import { useSyncExternalStore } from "react";

/** One clock for the whole page: a hundred rows that count seconds share one timer. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

export function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}

/** A text that depends on the time. Whoever shows it is drawn again when it reads otherwise, not each second. */
export function useNowText(read: (now: number) => string): string {
  return useSyncExternalStore(listen, () => read(now));
}

function listen(onTick: () => void): () => void {
  listeners.add(onTick);
  if (timer === undefined) {
    now = Date.now(); // nobody counted meanwhile
    timer = setInterval(tick, 1_000);
  }
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
