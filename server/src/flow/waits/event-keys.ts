import type { EventTrigger } from "@millrace/contract/events/events";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import { lockKeys } from "../lock-keys.ts";

const MAX_CHARACTERS = 512;

/** The problem with an event key, phrased to follow the key's name. Undefined: none. */
export function eventKeyIssue(key: string): string | undefined {
  if (key === "") return "must not be empty";
  // Counted by code points: an emoji is one character, however it is stored.
  if (key.length > MAX_CHARACTERS && [...key].length > MAX_CHARACTERS) {
    return `must have at most ${MAX_CHARACTERS} characters`;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f]/.test(key)) return "must not contain control characters";
  // In a path these two are relative segments.
  if (key === "." || key === "..") return `must not be "${key}"`;
  return undefined;
}

/** Returns the key, or refuses it with its path in the request. */
export function requireEventKey(key: string, location: string): string {
  const issue = eventKeyIssue(key);
  if (issue !== undefined) throw invalid(location, issue, key, "invalid_event_key");
  return key;
}

export type EventKey = { project_id: string; event_key: string };

/**
 * Taken before every wait and every send: a wait sees what was sent before, and a send sees who waits. Without it, a
 * send between a wait's search of the buffer and its commit finds no wait, and the wait finds no event. All keys of a
 * transaction at once, before any row.
 */
export async function lockEventKeys(tx: Ctx & InTransaction, keys: readonly EventKey[]): Promise<void> {
  if (keys.length === 0) return;
  await lockKeys(
    tx,
    keys.map(({ project_id, event_key }) => `event:${project_id}:${event_key}`),
  );
}

/** All strings with a prefix, as a range in code point order: from `start` to just below `end`. Null: no end. */
type PrefixRange = { start: string; end: string | null };

const LAST_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** The prefix is taken literally: no character in it is special. */
export function prefixRange(prefix: string): PrefixRange {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return { start: prefix, end: null };
  const next = last + 1 === FIRST_SURROGATE ? AFTER_SURROGATES : last + 1;
  return { start: prefix, end: String.fromCodePoint(...points, next) };
}

export type WaitKind = EventTrigger["wait_kind"];

/**
 * The key of a wait that no event ends. Derived from its own id, so it never collides with the keys that users choose.
 */
export function internalKey(wait_kind: WaitKind, id: string): string {
  return `${wait_kind}:${id}`;
}

/** The trigger that a key names in this way. Used only if no wait for an event has that key. */
export function readInternalKey(key: string): { wait_kind: string; id: string } | undefined {
  const [, wait_kind, id = ""] = /^(sleep|child|approval):(.{36})$/.exec(key) ?? [];
  return wait_kind !== undefined && isId(id) ? { wait_kind, id } : undefined;
}
