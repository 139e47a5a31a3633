import { useSyncExternalStore } from "react";

/** One clock per page: all countdowns share one timer. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

export function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}

/** A time-dependent text. Renders only when the text changes, not every second. */
export function useNowText(read: (now: number) => string): string {
  return useSyncExternalStore(listen, () => read(now));
}

function listen(onTick: () => void): () => void {
  listeners.add(onTick);
  if (timer === undefined) {
    now = Date.now(); // no timer was running meanwhile
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
