import { FIRST_RUN, listStrandedRuns } from "../../../flow/runs/maintain/list-stranded-runs.ts";
import { listIdleRuns, SCAN_START } from "../../../flow/workflows/maintain/list-idle-runs.ts";
import type { Ctx } from "../../../platform/context.ts";
import { perService } from "../../../platform/service-state.ts";

/** A million waiting runs are scanned in about two hours, at a few milliseconds per check. */
const PAGE = 2_000;
const GRACE_SECS = 60;

/** Where the last scans ended. */
const scanOf = perService(() => ({ run: FIRST_RUN, workflowRun: SCAN_START }));

/** Runs that nothing would ever continue, in the next page of active ones. */
export async function countStrandedRuns(ctx: Ctx): Promise<number> {
  const scan = scanOf(ctx);
  const { stranded, next } = await listStrandedRuns(ctx, { after: scan.run, page: PAGE, graceSecs: GRACE_SECS });
  scan.run = next;
  return stranded.length;
}

/** Running workflow runs in which nothing runs or waits, in the next page of active ones. */
export async function countIdleWorkflowRuns(ctx: Ctx): Promise<number> {
  const scan = scanOf(ctx);
  const { idle, next } = await listIdleRuns(ctx, { after: scan.workflowRun, page: PAGE, graceSecs: GRACE_SECS });
  scan.workflowRun = next;
  return idle.filter(({ is_stopped }) => !is_stopped).length;
}
