import { groupBy } from "../../../src/platform/group-by.ts";
import type { Decision, History, JournaledCall, Run } from "../history.ts";
import { claimsOf, ENDED, logsOf } from "./read-log.ts";

/** A stop of a run, workflow run or bulk selection. `until`: when it was resumed or retried. */
type Stop = {
  kind: "cancel" | "pause";
  target: string;
  committed_at: number;
  until: number;
  /** The call that requested it, if it got a response. */
  call: JournaledCall | undefined;
  covers: (run: Run) => boolean;
};

type Stops = {
  all: Stop[];
  /** When the last stop that covers a run and began by then ended. `Infinity`: it still applies; 0: there is none. */
  overAt: (run_id: string, by: number) => number;
};

/** From the decisions of workflow runs, and from the responses to bulk cancels. */
export function stopsOf(history: History): Stops {
  const runs = new Map(history.runs.map((run) => [run.id, run]));
  const all = [...workflowStops(history, runs), ...bulkStops(history)];
  return {
    all,
    overAt: (run_id, by) => {
      const run = runs.get(run_id);
      const above = all.filter((stop) => run !== undefined && stop.committed_at <= by && stop.covers(run));
      return Math.max(0, ...above.map(({ until }) => until));
    },
  };
}

function workflowStops(history: History, runs: ReadonlyMap<string, Run>): Stop[] {
  const parentOf = new Map(history.workflow_runs.map((run) => [run.id, run.parent_workflow_run_id]));
  const decisions = groupBy(
    history.decisions.toSorted((a, b) => a.ordinal - b.ordinal),
    ({ workflow_run_id }) => workflow_run_id,
  );
  return [...decisions].flatMap(([target, log]) =>
    log.flatMap((decision, nth) => {
      const kind = kindOf(decision, log.slice(nth));
      if (!kind) return [];
      const until = log
        .slice(nth + 1)
        .find((next) => next.committed_at > decision.committed_at && isContinued(next))?.committed_at;
      const call = history.calls.find(
        ({ path, status }) => status === 200 && path === `/v1/workflow-runs/${target}/${kind}`,
      );
      const covers = (run: Run) => !isExempt(run) && isBelow(target, run, runs, parentOf);
      return [
        { kind, target, committed_at: decision.committed_at, until: until ?? Number.POSITIVE_INFINITY, call, covers },
      ];
    }),
  );
}

/** A cancel with compensations begins with `compensate`, and ends when those are done. */
function kindOf({ decision_type, step_ref, detail }: Decision, rest: readonly Decision[]): Stop["kind"] | undefined {
  if (decision_type === "pause") return "pause";
  const isBegin = decision_type === "compensate" && step_ref === null;
  const end = isBegin ? rest.find((next) => next.decision_type === "end")?.detail : detail;
  return (isBegin || decision_type === "end") && end?.status === "canceled" ? "cancel" : undefined;
}

function isContinued({ decision_type }: Decision): boolean {
  return decision_type === "resume" || decision_type === "retry";
}

/** Compensations and on_failure runs are executed after the stop. */
function isExempt({ step_ref, is_on_failure }: Run): boolean {
  return is_on_failure || step_ref?.endsWith(":compensate") === true;
}

function isBelow(
  target: string,
  run: Run,
  runs: ReadonlyMap<string, Run>,
  parentOf: ReadonlyMap<string, string | null>,
): boolean {
  for (let id = run.workflow_run_id; id; id = parentOf.get(id) ?? null) if (id === target) return true;
  const parent = run.parent_run_id === null ? undefined : runs.get(run.parent_run_id);
  return parent !== undefined && isBelow(target, parent, runs, parentOf);
}

/** From their response: they are committed by then. They cover the runs created before them that had not ended. */
function bulkStops({ calls, batches }: History): Stop[] {
  const byId = new Map(batches.filter(({ kind }) => kind === "cancel_all").map((batch) => [batch.id, batch]));
  return calls.flatMap((call) => {
    const batch = byId.get(call.ids[0] ?? "");
    if (!batch || call.ended_at === null) return [];
    const { project_id, filter, created_at } = batch;
    const covers = (run: Run) =>
      run.project_id === project_id && run.job_id === filter.job_id && run.created_at < created_at;
    return [
      {
        kind: "cancel" as const,
        target: batch.id,
        committed_at: call.ended_at,
        until: Number.POSITIVE_INFINITY,
        call,
        covers,
      },
    ];
  });
}

/** S1 */
export function nothingStartsBelow(history: History): string[] {
  return claimsAfterStops(history).map(
    ({ stop, run_id, after_ms }) =>
      `${run_id} was claimed ${after_ms} ms after the commit of the ${stop.kind} of ${stop.target}`,
  );
}

function claimsAfterStops(history: History) {
  const logOf = logsOf(history);
  const { all } = stopsOf(history);
  return all.flatMap((stop) =>
    history.runs.filter(stop.covers).flatMap((run) =>
      claimsOf(logOf(run.id))
        .filter(({ committed_at }) => committed_at > stop.committed_at && committed_at < stop.until)
        .map(({ committed_at }) => ({ stop, run_id: run.id, after_ms: Math.round(committed_at - stop.committed_at) })),
    ),
  );
}

export type StopFigures = {
  target: string;
  kind: string;
  in_flight: number;
  claims_after: number;
  received_after: number;
  latest_ms: number;
  ended_ms: number;
};

/** For each stop with a response: the dispatches received after it, and when the last run below it had ended. */
export function stopFigures(history: History): StopFigures[] {
  const claims = claimsAfterStops(history);
  const logOf = logsOf(history);
  const runs = new Map(history.runs.map((run) => [run.id, run]));
  return stopsOf(history).all.flatMap((stop) => {
    const respondedAt = stop.call?.ended_at;
    if (typeof respondedAt !== "number") return [];
    const late = history.dispatches
      .filter(({ run_id, received_at }) => {
        const run = runs.get(run_id);
        return run !== undefined && received_at > respondedAt && received_at < stop.until && stop.covers(run);
      })
      .map(({ received_at }) => received_at - respondedAt);
    const ends = history.runs
      .filter(stop.covers)
      .flatMap(({ id }) => logOf(id).filter(({ to_status }) => ENDED.has(to_status)));
    return [
      {
        ...{ target: stop.target, kind: stop.kind, in_flight: stop.call?.in_flight ?? 0 },
        claims_after: claims.filter((each) => each.stop.target === stop.target).length,
        received_after: late.length,
        latest_ms: Math.max(0, ...late),
        ended_ms: Math.round(Math.max(0, ...ends.map(({ committed_at }) => committed_at - stop.committed_at))),
      },
    ];
  });
}
