import type { Json } from "./json.ts";
import type { Names } from "./names.ts";

/** Depends on the wall clock or on chance, and says nothing about behavior. */
const DROPPED = new Set([
  ...["$schema", "as_of", "from", "to", "bucket", "buckets", "forecast", "period", "hash", "chain_no", "sealed"],
  ...["request_id", "queue_position", "deadline", "traceparent", "next_fire_at", "updated_at", "key_prefix"],
]);

/** Measured, so only whether there is a value is compared. */
const MEASURED =
  /_ms$|^(compute_seconds|average_in_flight|peak_in_flight|utilization|useful_share|delay_secs|instance_id)$/;

const DURATION = /\b\d+(\.\d+)? ?(ms|s|secs?|seconds?|minutes?|min|m|h|hours?)\b/g;

/** Ids become names, times and durations become placeholders. */
export function normalize(value: Json, names: Names): Json {
  if (typeof value === "string") return names.write(value).replaceAll(DURATION, "<duration>");
  if (Array.isArray(value)) return value.map((each) => normalize(each, names));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(
    entries.map(([key, each]) => [
      names.write(key),
      MEASURED.test(key) && each !== null && key !== "retry_delays_secs" ? "<measured>" : normalize(each, names),
    ]),
  );
}

/** Entries in the order of their text, for lists whose order is not defined. */
export function sorted(list: Json[]): Json[] {
  return list
    .map((each) => [JSON.stringify(each), each] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, each]) => each);
}

/** In the given order within each key. */
export function grouped(list: Json[], keyOf: (each: Json) => string): Record<string, Json[]> {
  const groups: Record<string, Json[]> = {};
  for (const each of list) {
    const key = keyOf(each);
    groups[key] = [...(groups[key] ?? []), each];
  }
  return Object.fromEntries(Object.entries(groups).sort(([a], [b]) => (a < b ? -1 : 1)));
}
