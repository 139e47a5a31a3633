import { useSyncExternalStore } from "react";

/** An object page that was opened: `runs/0198…` below a project and environment. */
export type Recent = { href: string; title: string; kind: string };

const STORED = "millrace-recent";
const MAX = 8;
const listeners = new Set<() => void>();
let recent: readonly Recent[] = read();

export function useRecent(): readonly Recent[] {
  return useSyncExternalStore(
    (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    () => recent,
  );
}

/** The newest comes first; each page is there once. */
export function noteRecent(one: Recent): void {
  recent = [one, ...recent.filter(({ href }) => href !== one.href)].slice(0, MAX);
  try {
    localStorage.setItem(STORED, JSON.stringify(recent));
  } catch {}
  for (const listener of listeners) listener();
}

function read(): Recent[] {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return Array.isArray(stored) ? stored.slice(0, MAX) : [];
  } catch {
    return [];
  }
}
