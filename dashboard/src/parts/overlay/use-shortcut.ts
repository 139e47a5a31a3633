import { useEffect, useRef } from "react";
import { getSettings } from "../settings.ts";

/** `mod+k`, `?`, or a sequence: `g r`. Later mounted ones take precedence. */
type Bound = { keys: string; run: () => void };

const bound: Bound[] = [];
const BETWEEN_MS = 900;
let before: { key: string; at: number } | undefined;

/** Binds keys while mounted. Single keys are off in fields, and can be turned off by the user. */
export function useShortcut(keys: string, run: () => void, isOn = true): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!isOn) return;
    const entry = { keys, run: () => latest.current() };
    bound.push(entry);
    return () => void bound.splice(bound.indexOf(entry), 1);
  }, [keys, isOn]);
}

/** Called once, by the shell. */
export function listenToKeys(): () => void {
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const isMod = event.metaKey || event.ctrlKey;
  const key =
    event.key.length === 1
      ? event.key.toLowerCase()
      : event.key.toLowerCase().replace("escape", "esc").replace("arrow", "");
  if (!isMod && (isTyping(event.target) || isInDialog(event.target))) return;
  if (!isMod && key.length === 1 && getSettings().single_keys === "off") return;
  const sequence = before && event.timeStamp - before.at < BETWEEN_MS ? `${before.key} ${key}` : undefined;
  const found = isMod ? find(`mod+${key}`) : ((sequence && find(sequence)) ?? find(key));
  before = isMod || key.length > 1 ? undefined : { key, at: event.timeStamp };
  if (!found) return;
  event.preventDefault();
  before = undefined;
  found.run();
}

function find(keys: string): Bound | undefined {
  return bound.findLast((each) => each.keys === keys);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) &&
        !/checkbox|radio|button/.test((target as HTMLInputElement).type)))
  );
}

/** A modal dialog captures keys; a panel next to a list does not. */
function isInDialog(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("[role=dialog][aria-modal=true], [role=menu]") !== null;
}
