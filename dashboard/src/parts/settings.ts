import { useSyncExternalStore } from "react";

/** User settings of this browser. Without storage they last as long as the page. */
export type Settings = {
  zone: "local" | "utc";
  density: "compact" | "normal" | "comfortable";
  /** By width: collapsed where a list and a panel need the room. */
  rail: "open" | "closed" | "by_width";
  single_keys: "on" | "off";
  inspector_px: number;
};

const DEFAULTS: Settings = { zone: "local", density: "normal", rail: "by_width", single_keys: "on", inspector_px: 420 };
const STORED = "millrace-settings";
const listeners = new Set<() => void>();
let current: Settings = { ...DEFAULTS, ...read() };

export function useSettings(): Settings {
  return useSyncExternalStore(listen, getSettings);
}

export function getSettings(): Settings {
  return current;
}

export function changeSettings(change: Partial<Settings>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(STORED, JSON.stringify(current));
  } catch {}
  for (const listener of listeners) listener();
}

function listen(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

function read(): Partial<Settings> {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? "{}");
  } catch {
    return {};
  }
}
