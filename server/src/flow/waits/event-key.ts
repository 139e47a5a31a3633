import { invalid } from "../../platform/errors.ts";

const MOST_CHARACTERS = 512;

/** What is wrong with an event key, said so that it can follow the key's name. Undefined: nothing. */
export function eventKeyIssue(key: string): string | undefined {
  if (key === "") return "must not be empty";
  // Counted by code points: an emoji is one character, however it is stored.
  if (key.length > MOST_CHARACTERS && [...key].length > MOST_CHARACTERS) {
    return `must have at most ${MOST_CHARACTERS} characters`;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f]/.test(key)) return "must not contain control characters";
  // In a path these two mean another place.
  if (key === "." || key === "..") return `must not be "${key}"`;
  return undefined;
}

/** Answers the key, or refuses it with its place in the request. */
export function requireEventKey(key: string, location: string): string {
  const issue = eventKeyIssue(key);
  if (issue !== undefined) throw invalid(location, issue, key, "invalid_event_key");
  return key;
}
