import { parseQuery } from "@millrace/contract/query-language";
import type { Run } from "@millrace/contract/runs";
import type { StreamChange } from "@millrace/contract/streams";

const ENDED = new Set(["completed", "failed", "timed_out", "canceled"]);

/** A run after a change of the stream. The stream brings no payloads and no results: those are read when asked for. */
export function patchRun(run: Run, { type, at, object }: StreamChange): Run {
  if (type === "run.progress") return { ...run, progress: { ...(object as Run["progress"] & object), updated_at: at } };
  // Of the same millisecond the later one counts: changes come in their order.
  if (type !== "run.status" || at < run.updated_at) return run;
  const status = object.status as Run["status"];
  return {
    ...run,
    status,
    attempt: Number(object.attempt ?? run.attempt),
    tries_used: status === "pending" && object.from_status === "running" ? run.tries_used + 1 : run.tries_used,
    started_at: run.started_at ?? (status === "running" ? at : null),
    finished_at: ENDED.has(status) ? at : null,
    updated_at: at,
  };
}

/** Whether a change may bring a run into the list: a new one, or one that has just got a status that is asked for. */
export function mayEnter(query: string, { type, object }: StreamChange): boolean {
  if (type !== "run.status") return false;
  const parsed = parseQuery(query);
  const conditions = parsed.ok ? parsed.terms.map(({ condition }) => condition) : [];
  const asked = conditions.find(({ key }) => key === "status");
  if (asked?.key === "status") return asked.values.includes(object.status as Run["status"]) !== asked.negated;
  if (conditions.some((condition) => condition.key === "is" && condition.value === "ended"))
    return ENDED.has(String(object.status));
  return object.from_status === null;
}
