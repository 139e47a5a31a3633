import { useSyncExternalStore } from "react";

/** What a reader set for this browser. Storage may be closed to the page: then it lasts as long as the page. */
export type Settings = {
  zone: "local" | "utc";
  density: "compact" | "normal" | "comfortable";
  /** By width: folded where a list and a panel beside it need the room. */
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
