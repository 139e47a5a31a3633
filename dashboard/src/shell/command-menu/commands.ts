import { useEffect, useRef, useSyncExternalStore } from "react";

/** Commands that the current page adds to the command menu. */
export type Command = { label: string; keys?: string; run: () => void };

const listeners = new Set<() => void>();
let offered: readonly Command[] = [];

export function useCommands(commands: Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  const names = commands.map(({ label }) => label).join("\n");
  useEffect(() => {
    const mine = latest.current.map(({ label, keys }, nth) => ({
      label,
      ...(keys && { keys }),
      run: () => latest.current[nth]?.run(),
    }));
    if (names === "") return;
    replace([...offered, ...mine]);
    return () => replace(offered.filter((command) => !mine.includes(command)));
  }, [names]);
}

export function useOffered(): readonly Command[] {
  return useSyncExternalStore(
    (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    () => offered,
  );
}

const WAIT_MS = 15_000;
let wanted: { label: string; until: number } | undefined;

/** Runs a command of the next page as soon as that page offers it. */
export function runWhenOffered(label: string): void {
  wanted = { label, until: performance.now() + WAIT_MS };
  runWanted();
}

function runWanted(): void {
  const found = offered.find(({ label }) => label === wanted?.label);
  if (!wanted || !found) return;
  if (performance.now() < wanted.until) setTimeout(found.run); // after the page has rendered
  wanted = undefined;
}

function replace(next: readonly Command[]): void {
  offered = next;
  runWanted();
  for (const listener of listeners) listener();
}
