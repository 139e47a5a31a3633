import { useSyncExternalStore } from "react";

/** One clock for the whole page: a hundred rows that count seconds share one timer. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

export function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}

function listen(onTick: () => void): () => void {
  listeners.add(onTick);
  timer ??= setInterval(tick, 1_000);
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
