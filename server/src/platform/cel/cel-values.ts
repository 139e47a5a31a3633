/**
 * Converts JSON for the library. It detects maps by `value.constructor`, so an object with a field of that name would
 * have an unknown type: a document that contains one is copied with such objects as Maps, others are passed as they
 * are. Each document is scanned once, since many expressions may read it.
 */
export function toCel(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, readable(value)]));
}

/** Scanning this many takes 20 ms. The result of a job may have half a million. */
const MAX_VALUES = 500_000;
const known = new WeakMap<object, unknown>();

function readable(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!known.has(value)) known.set(value, hasConstructorField(value, { values: MAX_VALUES }) ? convert(value) : value);
  return known.get(value);
}

/**
 * Returns a result as plain JSON, at most 50,000 values and 1 MB of text: `list.map(x, list)` repeats references for
 * free.
 */
export function fromCel(value: unknown): unknown {
  return present(value, { values: 50_000, characters: 1_048_576 });
}

function hasConstructorField(value: unknown, room: { values: number }): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) {
    take(room, value.length);
    return value.some((child) => hasConstructorField(child, room));
  }
  if (Object.hasOwn(value, "constructor")) return true;
  // Not `Object.values`, which takes twice as long for an object of 49,000 names.
  const names = Object.keys(value);
  take(room, names.length);
  return names.some((name) => hasConstructorField((value as Record<string, unknown>)[name], room));
}

function take(room: { values: number }, count: number): void {
  room.values -= count;
  if (room.values < 0) throw new Error(`There are more than ${MAX_VALUES} values to read`);
}

function convert(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(convert);
  const entries = Object.entries(value).map(([key, field]) => [key, convert(field)] as const);
  return Object.hasOwn(value, "constructor") ? new Map(entries) : Object.fromEntries(entries);
}

type Room = { values: number; characters: number };

function present(value: unknown, room: Room): unknown {
  room.values--;
  if (typeof value === "string") room.characters -= value.length;
  if (room.values < 0 || room.characters < 0) throw new Error("The result is too large");

  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw new Error(`The result is not a finite number: ${value}`);
    case "bigint":
      return presentInteger(value);
    case "object":
      return value === null ? null : presentObject(value, room);
    default:
      throw new Error(`The result has no JSON form: ${typeof value}`);
  }
}

function presentInteger(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`The result is an integer beyond ±(2^53 − 1): ${value}`);
}

function presentObject(value: object, room: Room): unknown {
  if (Array.isArray(value)) return value.map((item) => present(item, room));
  if (value instanceof Map) return presentEntries([...value], room);
  if (value instanceof Date) return value.toISOString();
  if (Object.prototype.toString.call(value) === "[object google.protobuf.Duration]") return String(value);

  // The library's unsigned integer: its class is not exported.
  const plain: unknown = value.valueOf();
  if (typeof plain === "bigint") return presentInteger(plain);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return presentEntries(Object.entries(value), room);
  throw new Error("The result is bytes or a type, which have no JSON form");
}

function presentEntries(entries: readonly [string, unknown][], room: Room): unknown {
  return Object.fromEntries(entries.map(([key, field]) => [key, present(field, room)]));
}
