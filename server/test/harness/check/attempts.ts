import { groupBy } from "../../../src/platform/group-by.ts";
import type { History, JournaledDispatch } from "../history.ts";
import { claimsOf, logsOf, spanOf } from "./read-log.ts";

/** With a lease of 30 s and a sweep every 5 s. */
const TAKEN_OVER_WITHIN_MS = 35_000;
/** On a busy machine, a due sweep begins this late. */
const SLACK_MS = 2_500;

/** I4 */
export function attemptsRise(history: History): string[] {
  const logOf = logsOf(history);
  const ofClaims = history.runs.flatMap(({ id, attempt }) => {
    const claims = claimsOf(logOf(id)).map((claim) => claim.attempt);
    if (claims.some((each, nth) => each !== nth + 1)) return [`${id} was claimed as attempts ${claims.join(", ")}`];
    return claims.length === attempt ? [] : [`${id} is at attempt ${attempt} after ${claims.length} claims`];
  });
  const sent = history.dispatches.toSorted((a, b) => a.received_at - b.received_at);
  // The request of an instance that died may arrive after that of the one that took over.
  const orphaned = new Set(
    history.faults.flatMap(({ held }) => held.map(({ run_id, attempt }) => `${run_id} ${attempt}`)),
  );
  const ofDispatches = [...groupBy(sent, ({ run_id }) => run_id)].flatMap(([id, some]) =>
    some.slice(1).flatMap(({ attempt }, nth) => {
      const before = Math.max(...some.slice(0, nth + 1).map((each) => each.attempt));
      if (attempt > before || (attempt < before && orphaned.has(`${id} ${attempt}`))) return [];
      return [`${id} was dispatched as attempt ${attempt} after ${before}`];
    }),
  );
  return [...ofClaims, ...ofDispatches];
}

/** I5 */
export function dispatchesAreClaimed(history: History): string[] {
  const logOf = logsOf(history);
  const runs = new Map(history.runs.map((run) => [run.id, run]));
  const unclaimed = history.dispatches.flatMap((dispatch) => {
    const { run_id, attempt, job_id, workflow_run_id, step_ref } = dispatch;
    const run = runs.get(run_id);
    if (!run || !spanOf(logOf(run_id), attempt))
      return [`attempt ${attempt} of ${run_id} was dispatched, but never claimed`];
    const isItsOwn = run.job_id === job_id && run.workflow_run_id === workflow_run_id && run.step_ref === step_ref;
    return isItsOwn ? [] : [`${run_id} was dispatched as ${step_ref} of ${workflow_run_id}, job ${job_id}`];
  });
  // A report has the time at which it was sent: an attempt that ended earlier had already ended.
  const stale = history.reports
    .filter(({ run_id, attempt, at, accepted }) => accepted && (spanOf(logOf(run_id), attempt)?.to ?? 0) < at)
    .map(({ run_id, attempt, verb }) => `${run_id} accepted ${verb} from attempt ${attempt}, which had ended`);
  const kept = history.runs.flatMap(({ id, status, attempt, result }) => {
    const reported = (result as { attempt?: unknown } | null)?.attempt;
    if (status !== "completed" || typeof reported !== "number" || reported === attempt) return [];
    return [`${id} has the result of attempt ${reported} at attempt ${attempt}`];
  });
  return [...unclaimed, ...sharedLeases(history), ...stale, ...kept];
}

/** Each attempt of a run has its own token; a run that is leased now was sent with its current token. */
function sharedLeases({ dispatches, leases }: History): string[] {
  const violations: string[] = [];
  for (const [run_id, some] of groupBy(dispatches, (each) => each.run_id)) {
    const attemptOf = new Map<string, JournaledDispatch>();
    for (const dispatch of some) {
      const other = attemptOf.get(dispatch.lease);
      if (other && other.attempt !== dispatch.attempt)
        violations.push(`attempts ${other.attempt} and ${dispatch.attempt} of ${run_id} share one lease`);
      attemptOf.set(dispatch.lease, dispatch);
    }
    const held = leases.find((lease) => lease.run_id === run_id);
    const sent = some.find((each) => each.attempt === held?.attempt);
    if (held && sent && sent.lease !== held.lease)
      violations.push(`attempt ${sent.attempt} of ${run_id} was sent under another lease`);
  }
  return violations;
}

/** I6 */
export function leasesAreKept(history: History): string[] {
  const logOf = logsOf(history);
  const late = history.faults.flatMap(({ at, held }) =>
    held
      .filter(({ run_id, attempt }) => {
        const to = spanOf(logOf(run_id), attempt)?.to ?? Number.POSITIVE_INFINITY;
        return Math.min(to, history.read_at) > at + TAKEN_OVER_WITHIN_MS + SLACK_MS;
      })
      .map(({ run_id, attempt }) => `attempt ${attempt} of ${run_id} was not rescued in time`),
  );
  const silent = new Set(
    history.faults.flatMap(({ held }) => held.map(({ run_id, attempt }) => `${run_id} ${attempt}`)),
  );
  // If the reply to a claim's commit is lost, no instance knows of the claim: that attempt is never sent.
  const sent = new Set(history.dispatches.map(({ run_id, attempt }) => `${run_id} ${attempt}`));
  const taken = history.transitions
    .filter(({ cause, run_id, attempt }) => cause === "lease_lost" && sent.has(`${run_id} ${attempt}`))
    .filter(({ run_id, attempt }) => !silent.has(`${run_id} ${attempt}`))
    .map(({ run_id, attempt }) => `attempt ${attempt} of ${run_id} was rescued, although its instance was alive`);
  const leased = new Map(history.leases.map(({ run_id, lease_until }) => [run_id, lease_until]));
  const bare = history.runs
    .filter(({ id, status }) => status === "running" && (leased.get(id) ?? 0) < history.read_at - TAKEN_OVER_WITHIN_MS)
    .map(({ id }) => `${id} runs without a live lease`);
  return [...late, ...taken, ...bare];
}
