import type { StreamChange } from "@millrace/contract/deliveries/streams";
import { parseQuery } from "@millrace/contract/query-language/parse-query";
import type { RunCondition } from "@millrace/contract/query-language/types";
import type { Run } from "@millrace/contract/runs/runs";

/** Causes that end a dispatch and count as a try. A drained run is requeued without one. */
const FAILED_TRY = new Set(["retry", "timeout", "heartbeat_lost", "lease_lost", "failed"]);
const ENDED = new Set(["completed", "failed", "timed_out", "canceled"]);

/** Applies a stream change to a run. The stream has no payloads and no results: those are fetched on demand. */
export function patchRun(run: Run, { type, at, object }: StreamChange): Run {
  if (type === "run.progress") return { ...run, progress: { ...(object as Run["progress"] & object), updated_at: at } };
  // Changes arrive in order, so within the same millisecond the later one wins.
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

/** Not in the stream. After a wait, tries start again from zero. */
function triesUsed({ tries_used }: Run, { from_status, cause }: StreamChange["object"]): number {
  if (from_status === "waiting") return 0;
  return from_status === "running" && FAILED_TRY.has(String(cause)) ? tries_used + 1 : tries_used;
}

/** Whether a change can add a run to the list: a new run, or one that now has a matching status, of a matching job. */
export function mayEnter(query: string, { type, object }: StreamChange, jobSlug?: string): boolean {
  if (type !== "run.status") return false;
  const parsed = parseQuery(query);
  const conditions = parsed.ok ? parsed.terms.map(({ condition }) => condition) : [];
  const isOfJob = (job: string) => job === object.job_id || job === jobSlug;
  const isOther = (condition: RunCondition) =>
    condition.key === "job" && condition.values.some(isOfJob) === condition.negated;
  if (jobSlug !== undefined && conditions.some(isOther)) return false;
  const statusCondition = conditions.find(({ key }) => key === "status");
  if (statusCondition?.key === "status")
    return statusCondition.values.includes(object.status as Run["status"]) !== statusCondition.negated;
  if (conditions.some((condition) => condition.key === "is" && condition.value === "ended"))
    return ENDED.has(String(object.status));
  return object.from_status === null;
}
