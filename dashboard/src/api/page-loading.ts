import { useSyncExternalStore } from "react";

let loading = 0;
const listeners = new Set<() => void>();

function change(by: number): void {
  loading += by;
  for (const listener of listeners) listener();
}

/** Called while the code of a page loads: what the page will request and follow is not known yet. */
export function startPageLoading(): () => void {
  change(1);
  return () => change(-1);
}

export function isPageLoading(): boolean {
  return loading > 0;
}

export function usePageLoading(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isPageLoading);
}
