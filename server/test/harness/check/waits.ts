import { groupBy } from "../../../src/platform/group-by.ts";
import type { History, Transition, Wait } from "../history.ts";
import { claimsOf, logsOf } from "./read-log.ts";

/** I9: runs were resumed, timed out and canceled as often as their waits were. */
export function waitsEndOnce(history: History): string[] {
  const logOf = logsOf(history);
  const ofRuns = groupBy(
    history.waits.filter(({ job_run_id }) => job_run_id !== null),
    ({ job_run_id }) => job_run_id ?? "",
  );
  return [
    ...[...ofRuns].flatMap(([run_id, waits]) =>
      disagree(`run ${run_id}`, countEach(waits.map(({ status }) => status)), countLeaves(logOf(run_id))),
    ),
    ...stepWaits(history),
  ];
}

/** How often a run left `waiting`, by the expected status of its wait. */
function countLeaves(log: readonly Transition[]): Map<string, number> {
  const left = log.filter(({ from_status }) => from_status === "waiting").map(({ to_status }) => to_status);
  return countEach(left.map((to) => (to === "pending" || to === "paused" ? "received" : to)));
}

/** A waiting step completes by `event`, or by `complete` if the event was buffered, and fails by `fail`. */
function stepWaits({ waits, decisions }: History): string[] {
  const ofSteps = groupBy(
    waits.filter(({ wait_kind, step_ref }) => wait_kind === "event" && step_ref !== null),
    ({ workflow_run_id, step_ref }) => `${workflow_run_id} ${step_ref}`,
  );
  const byStep = groupBy(decisions, ({ workflow_run_id, step_ref }) => `${workflow_run_id} ${step_ref}`);
  return [...ofSteps].flatMap(([step, some]) => {
    const types = (byStep.get(step) ?? []).map(({ decision_type }) => decision_type);
    const seen = {
      received: types.filter((type) => type === "event" || type === "complete").length,
      timed_out: types.filter((type) => type === "fail").length,
    };
    const expected = countEach(some.map(({ status }) => status));
    const isFailureMissing = (expected.get("timed_out") ?? 0) > seen.timed_out;
    return seen.received === (expected.get("received") ?? 0) && !isFailureMissing
      ? []
      : [`the waits of step ${step} are ${format(expected)}, but its decisions are ${types.join(", ")}`];
  });
}

function disagree(what: string, waits: Map<string, number>, leaves: Map<string, number>): string[] {
  const states = ["received", "timed_out", "canceled"];
  const differs = states.some((state) => (waits.get(state) ?? 0) !== (leaves.get(state) ?? 0));
  return differs ? [`the waits of ${what} are ${format(waits)}, but its transitions say ${format(leaves)}`] : [];
}

const ERASURES = new Set(["run.data_deleted", "workflow_run.data_deleted"]);

/** I10 */
export function waitsResume(history: History): string[] {
  const erased = erasedIn(history);
  const resumed = new Set([
    ...history.transitions
      .filter(({ from_status }) => from_status === "waiting")
      .map(({ run_id, xid }) => `${run_id} ${xid}`),
    ...history.decisions.map(({ workflow_run_id, xid }) => `${workflow_run_id} ${xid}`),
  ]);
  const unresumed = history.waits.filter(
    (wait) => wait.status === "received" && !erased.has(ownerOf(wait)) && !resumed.has(`${ownerOf(wait)} ${wait.xid}`),
  );
  const ended = new Set(
    history.waits.filter(({ status }) => status !== "waiting").map((wait) => `${ownerOf(wait)} ${wait.xid}`),
  );
  const unasked = history.transitions.filter(
    ({ cause, run_id, xid }) => cause === "event_received" && !erased.has(run_id) && !ended.has(`${run_id} ${xid}`),
  );
  return [
    ...unresumed.map((wait) => `wait ${wait.id} was received, but ${ownerOf(wait)} did not resume in that transaction`),
    ...unasked.map(({ run_id }) => `${run_id} resumed, but none of its waits ended in that transaction`),
  ];
}

/** Erasing the data of a run, or of the workflow run that it belongs to, writes its waits once more. */
function erasedIn({ audit, runs }: History): Set<string> {
  const erased = new Set(audit.filter(({ action }) => ERASURES.has(action)).map(({ resource_id }) => resource_id));
  for (const { id, workflow_run_id } of runs) if (erased.has(workflow_run_id ?? "")) erased.add(id);
  return erased;
}

function ownerOf({ job_run_id, workflow_run_id }: Wait): string {
  return job_run_id ?? workflow_run_id ?? "";
}

/** I11 */
export function noSleepIsEarly(history: History): string[] {
  const logOf = logsOf(history);
  const sleeps = history.waits
    .filter(
      ({ wait_kind, status, finished_at, expires_at }) =>
        wait_kind === "sleep" && status === "received" && (finished_at ?? expires_at) < expires_at,
    )
    .map(({ id, finished_at, expires_at }) => `sleep ${id} ended ${expires_at - (finished_at ?? 0)} ms early`);
  const delays = history.runs.flatMap(({ id, scheduled_at }) => {
    const log = logOf(id);
    const claim = claimsOf(log).at(-1);
    // A retry sets a new due time: a requeued run that was not claimed since proves nothing.
    const isPutBack = log.some(({ ordinal, to_status }) => to_status === "pending" && ordinal > (claim?.ordinal ?? 0));
    const at = claim && !isPutBack ? claim.at : scheduled_at;
    return at < scheduled_at ? [`${id} started ${scheduled_at - at} ms before it was due`] : [];
  });
  return [...sleeps, ...delays];
}

/** I13. A delivery with an unknown id does not count. */
export function deliveriesAreSent(history: History): string[] {
  const byWait = groupBy(history.deliveries, ({ source_id }) => source_id);
  const missing = history.waits
    .filter(({ id, status, has_notify_url }) => status === "received" && has_notify_url && !byWait.has(id))
    .map(({ id }) => `wait ${id} was received, but has no delivery`);
  const known = new Set(history.deliveries.map(({ id }) => id));
  const came = groupBy(history.received_deliveries, ({ id }) => id);
  const unknown = [...came.keys()]
    .filter((id) => !known.has(id))
    .map((id) => `delivery ${id} was received, but is not in the database`);
  const lost = history.deliveries
    .filter(
      ({ id, status, event_type }) =>
        status === "delivered" && event_type === "event_trigger.received" && !came.has(id),
    )
    .map(({ id }) => `delivery ${id} is marked as delivered, but was never received`);
  return [...missing, ...unknown, ...lost];
}

function countEach(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function format(counts: Map<string, number>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ") || "nothing";
}
