import { LRUCache } from "lru-cache";
import { type CompiledCel, compileCondition } from "../cel/cel.ts";

/** Compiling costs a hundred times as much as evaluating, and the same few filters are evaluated for every event. */
const compiled = new LRUCache<string, CompiledCel<boolean>>({ max: 1_000 });

/** The filter of a subscription: CEL over `event`. */
export function compileFilter(source: string): CompiledCel<boolean> {
  const known = compiled.get(source);
  if (known) return known;
  const fresh = compileCondition(source, { variables: { event: "map" } });
  compiled.set(source, fresh);
  return fresh;
}

type FilterResult = { kind: "matched" } | { kind: "skipped" } | { kind: "error"; message: string };

/** Whether an event matches a filter. If the evaluation fails, the event does not match. */
export function evaluateFilter(filter: string | null, event: object): FilterResult {
  if (filter === null) return { kind: "matched" };
  const condition = compileFilter(filter);
  if (!condition.ok) return { kind: "error", message: condition.message };
  const result = condition.evaluate({ event });
  if (!result.ok) return { kind: "error", message: result.message };
  return { kind: result.value ? "matched" : "skipped" };
}
