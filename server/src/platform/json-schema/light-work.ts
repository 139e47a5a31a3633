/** Without these the work is at most the schema's size times the value's. */
const UNBOUNDED = /"(?:\$ref|\$dynamicRef|\$recursiveRef|uniqueItems)"/;
const MOST_SCHEMA_CHARACTERS = 4_096;
const MOST_WEIGHT = 4_096;

export function isPlainSchema(text: string): boolean {
  return text.length <= MOST_SCHEMA_CHARACTERS && !UNBOUNDED.test(text);
}

/** Few values and little text: by a plain schema that is checked in some milliseconds, however it is written. */
export function isLightValue(value: unknown): boolean {
  return weigh(value, MOST_WEIGHT) >= 0;
}

/** What is left of `room`. Each level takes some, so the recursion ends. */
function weigh(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length;
  if (typeof value !== "object" || value === null) return room - 1;
  let left = room - 1;
  for (const [key, child] of Object.entries(value)) {
    left = weigh(child, left - key.length);
    if (left < 0) break;
  }
  return left;
}
