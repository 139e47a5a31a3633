import { invalid } from "../../../platform/errors/errors.ts";

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
