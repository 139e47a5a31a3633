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

function replace(next: readonly Command[]): void {
  offered = next;
  for (const listener of listeners) listener();
}
