import { RUN_TRANSITIONS } from "../../../src/flow/runs/states.ts";
import { groupBy } from "../../../src/platform/group-by.ts";
import type { Decision, History, Transition } from "../history.ts";
import { ENDED, logsOf } from "./read-log.ts";

const LEGAL = new Set(RUN_TRANSITIONS.map(([from, to]) => `${from}>${to}`));

/** I2. A workflow run has one end between two retries. */
export function endsOnce(history: History): string[] {
  const logOf = logsOf(history);
  const ofRuns = history.runs.flatMap(({ id, status }) => {
    const log = logOf(id);
    const ends = log.filter(({ to_status }) => ENDED.has(to_status)).length;
    const last = log.at(-1)?.to_status;
    return [
      ...(ends > 1 ? [`${id} ended ${ends} times`] : []),
      ...(last !== status && !(ends > 1) ? [`${id} is ${status}, but its log ends with ${last}`] : []),
    ];
  });
  return [...ofRuns, ...decisionsByRun(history).flatMap(([id, log]) => endedTwice(id, log))];
}

function endedTwice(id: string, log: readonly Decision[]): string[] {
  let isEnded = false;
  return log.flatMap(({ decision_type }) => {
    const wasEnded = isEnded;
    if (decision_type === "end") isEnded = true;
    else if (revives(decision_type)) isEnded = false;
    return wasEnded && decision_type === "end" ? [`workflow run ${id} ended twice`] : [];
  });
}

/** I3 */
export function endsAreFinal(history: History): string[] {
  const logOf = logsOf(history);
  const ofRuns = history.runs.flatMap(({ id }) => illegalMoves(id, logOf(id)));
  return [...ofRuns, ...decisionsByRun(history).flatMap(([id, log]) => leftEnds(id, log)), ...unauditedResets(history)];
}

function illegalMoves(id: string, log: readonly Transition[]): string[] {
  return log.flatMap(({ from_status, to_status, ordinal }, index) => {
    const before = log[index - 1]?.to_status ?? null;
    if (ordinal !== index + 1) return [`${id} lacks transition ${index + 1}`];
    // I2 reports second ends.
    if (ENDED.has(before ?? "") && ENDED.has(to_status)) return [];
    if (from_status !== before) return [`${id} moved from ${from_status}, and was ${before}`];
    return LEGAL.has(`${from_status}>${to_status}`) ? [] : [`${id} moved from ${from_status} to ${to_status}`];
  });
}

const GOES_ON = new Set(["start", "wait", "condition", "compensate"]);

function leftEnds(id: string, log: readonly Decision[]): string[] {
  let isEnded = false;
  return log.flatMap(({ decision_type, step_ref, ordinal }) => {
    if (decision_type === "end") isEnded = true;
    else if (revives(decision_type)) isEnded = false;
    return isEnded && GOES_ON.has(decision_type)
      ? [`workflow run ${id} had ended, but decision ${ordinal} continued its step ${step_ref}`]
      : [];
  });
}

/** A step retried, replayed or skipped by a user. */
function revives(decision_type: string): boolean {
  return decision_type === "retry" || decision_type === "skip";
}

/** A skip resets what its step had canceled or skipped. */
const RESETS = new Set(
  ["retried", "step_retried", "step_skipped", "subtree_replayed"].map((action) => `workflow_run.${action}`),
);

const BULK = "run.bulk_dlq_replayed";

function unauditedResets({ steps, decisions, audit }: History): string[] {
  const resets = groupBy(
    decisions.filter(({ decision_type }) => decision_type === "retry"),
    ({ workflow_run_id, step_ref }) => `${workflow_run_id} ${step_ref}`,
  );
  const audited = new Set(audit.filter(({ action }) => RESETS.has(action)).map(({ resource_id }) => resource_id));
  // Its audit event names the batch, which retries the steps of dead runs.
  const replaying = new Set(audit.filter(({ action }) => action === BULK).map(({ project_id }) => project_id));
  return steps.flatMap(({ project_id, workflow_run_id, step_ref, generation }) => {
    const count = resets.get(`${workflow_run_id} ${step_ref}`)?.length ?? 0;
    if (generation !== count + 1)
      return [`${step_ref} of ${workflow_run_id} is at generation ${generation} after ${count} resets`];
    return count > 0 && !audited.has(workflow_run_id) && !replaying.has(project_id)
      ? [`${step_ref} of ${workflow_run_id} was reset, but no audit event records it`]
      : [];
  });
}

/** L1 */
export function everythingEnds({ is_settled, runs, workflow_runs }: History): string[] {
  if (!is_settled) return [];
  return [
    ...runs.filter(({ status }) => !ENDED.has(status)).map(({ id, status }) => `run ${id} is stuck: ${status}`),
    ...workflow_runs
      .filter(({ status }) => !ENDED.has(status))
      .map(({ id, status }) => `workflow run ${id} is stuck: ${status}`),
  ];
}

function decisionsByRun({ decisions }: History): [string, Decision[]][] {
  const sorted = decisions.toSorted((a, b) => a.ordinal - b.ordinal);
  return [...groupBy(sorted, ({ workflow_run_id }) => workflow_run_id)];
}
