import { parseQuery } from "@millrace/contract/query-language";
import type { Run } from "@millrace/contract/runs";
import type { StreamChange } from "@millrace/contract/streams";

/** Why a dispatch ended with a try used. One that was drained goes back as it was. */
const FAILED_TRY = new Set(["retry", "timeout", "heartbeat_lost", "lease_lost", "failed"]);
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
    tries_used: triesUsed(run, object),
    started_at: run.started_at ?? (status === "running" ? at : null),
    finished_at: ENDED.has(status) ? at : null,
    updated_at: at,
  };
}

/** The stream does not bring it. After a wait tries are counted anew. */
function triesUsed({ tries_used }: Run, { from_status, cause }: StreamChange["object"]): number {
  if (from_status === "waiting") return 0;
  return from_status === "running" && FAILED_TRY.has(String(cause)) ? tries_used + 1 : tries_used;
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
