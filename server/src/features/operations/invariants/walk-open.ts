import type { RunKey } from "../../../flow/runs/lock-runs.ts";
import { FIRST_RUN, listStrandedRuns } from "../../../flow/runs/maintain/list-stranded-runs.ts";
import { listIdleRuns, listStrandedSteps, SCAN_START } from "../../../flow/workflows/maintain/list-idle-runs.ts";
import type { WorkflowRunKey } from "../../../flow/workflows/workflow-run-changes.ts";
import type { Ctx } from "../../../platform/context.ts";
import { perService } from "../../../platform/service-state.ts";

/** A million waiting runs are scanned in about two hours, at a few milliseconds per check. */
export const PAGE = 2_000;
const GRACE_SECS = 60;
/** Of those found, so many are looked at again by the next checks. */
const MAX_KEPT = 1_000;

/** Where the last scans ended, and what they have found: it counts until it is gone, whatever the next pages contain. */
const scanOf = perService(() => ({
  runs: { after: FIRST_RUN, again: [] as RunKey[] },
  workflowRuns: { after: SCAN_START, again: [] as WorkflowRunKey[] },
}));

/** Runs that nothing would ever continue, in the pages of active ones that were checked so far. */
export async function countStrandedRuns(ctx: Ctx): Promise<number> {
  const { runs: scan } = scanOf(ctx);
  const { stranded, next } = await listStrandedRuns(ctx, { ...scan, page: PAGE, graceSecs: GRACE_SECS });
  scan.after = next;
  scan.again = stranded.slice(0, MAX_KEPT);
  return stranded.length;
}

/** Running workflow runs in which nothing runs or waits, or a step waits for nothing, in the pages checked so far. */
export async function countIdleWorkflowRuns(ctx: Ctx): Promise<number> {
  const { workflowRuns: scan } = scanOf(ctx);
  const walk = { ...scan, page: PAGE, graceSecs: GRACE_SECS };
  const { idle, next } = await listIdleRuns(ctx, walk);
  const { stranded } = await listStrandedSteps(ctx, walk);
  const found = [...idle.filter(({ is_stopped }) => !is_stopped), ...stranded];
  const byId = new Map(found.map((run) => [run.workflow_run_id, run]));
  scan.after = next;
  scan.again = [...byId.values()].slice(0, MAX_KEPT);
  return byId.size;
}
