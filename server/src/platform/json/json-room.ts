/**
 * How many of the given characters remain after writing a value as JSON, negative if it does not fit. Stops early: a
 * value too large is detected without serializing it.
 */
export function jsonRoom(value: unknown, room: number): number {
  if (typeof value === "string") return value.length > room ? -1 : room - quotedLength(value);
  if (typeof value !== "object" || value === null) return room - String(value).length;
  if (Array.isArray(value)) return listRoom(value, room);
  let left = room - 2;
  let isFirst = true;
  for (const name in value) {
    if (!isFirst) left--;
    isFirst = false;
    left = jsonRoom(name, left) - 1;
    if (left >= 0) left = jsonRoom((value as Record<string, unknown>)[name], left);
    if (left < 0) break;
  }
  return left;
}

/** Most names need no escaping; a payload may have 50,000 of them. */
const PLAIN = /^[\w-]{0,64}$/;

function quotedLength(text: string): number {
  return PLAIN.test(text) ? text.length + 2 : JSON.stringify(text).length;
}

/** By index: iterating the entries of a long list takes ten times as long. */
function listRoom(list: readonly unknown[], room: number): number {
  let left = room - 2 - Math.max(0, list.length - 1);
  for (let i = 0; i < list.length && left >= 0; i++) left = jsonRoom(list[i], left);
  return left;
}
