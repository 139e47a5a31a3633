import { overBudget } from "../budget/reserve-budget.ts";
import type { TriggerResult } from "../runs/create/new-run.ts";
import type { WorkflowTriggerResult } from "../workflows/start/new-workflow-run.ts";
import type { Start } from "./prepare-starts.ts";
import type { KeptOutcome, SourceEventRow } from "./source-rows.ts";

type Outcomes = Pick<SourceEventRow, "results" | "matched" | "started" | "failed">;
type Failure = { code: string; message: string };

/** The result of an event for each subscription, in their order. */
export function outcomesOf(
  starts: readonly Start[],
  triggered: readonly TriggerResult[],
  started: readonly WorkflowTriggerResult[],
): Outcomes {
  const [runs, workflowRuns] = [triggered.values(), started.values()];
  const results = starts.map((start): KeptOutcome => {
    if (start.kind === "run") return ofRun(start, runs.next().value);
    if (start.kind === "workflow_run") return ofWorkflowRun(start, workflowRuns.next().value);
    if (start.kind === "refused") return failed(start, start.error);
    return ofMatch(start);
  });
  return {
    results,
    matched: starts.filter(({ match }) => match.kind === "matched" || (match.kind === "failed" && match.matched))
      .length,
    started: results.filter(({ outcome }) => outcome === "started").length,
    failed: results.filter(({ outcome }) => outcome === "failed").length,
  };
}

function ofRun(start: Extract<Start, { kind: "run" }>, result: TriggerResult | undefined): KeptOutcome {
  const { environment_id } = start.run;
  if (result?.kind === "created") return { ...blank(start), environment_id, outcome: "started", run_id: result.run.id };
  if (result?.kind === "existing")
    return { ...blank(start), environment_id, outcome: "existing", run_id: result.run_id };
  if (result?.kind !== "over_budget") throw new Error("a run without a key is created, stale or over the budget");
  const { code, message } = overBudget(result);
  return failed(start, { code, message });
}

function ofWorkflowRun(
  start: Extract<Start, { kind: "workflow_run" }>,
  result: WorkflowTriggerResult | undefined,
): KeptOutcome {
  if (result?.kind !== "created") throw new Error("a workflow run without a key is created or stale");
  const { workflow_run_id } = result;
  return { ...blank(start), environment_id: start.run.environment_id, outcome: "started", workflow_run_id };
}

function ofMatch(start: Start): KeptOutcome {
  const { match } = start;
  if (match.kind === "failed") return failed(start, match.error);
  return { ...blank(start), outcome: match.kind === "disabled" ? "disabled" : "not_matched" };
}

function failed(start: Start, error: Failure): KeptOutcome {
  return { ...blank(start), outcome: "failed", error };
}

function blank({ match: { subscription } }: Start): Omit<KeptOutcome, "outcome"> {
  const { id: subscription_id, job_id, workflow_id, environment_id } = subscription;
  return { subscription_id, job_id, workflow_id, environment_id, run_id: null, workflow_run_id: null, error: null };
}
