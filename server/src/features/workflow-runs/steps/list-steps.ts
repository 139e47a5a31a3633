import type { ListStepsQuery } from "@millrace/contract/step-runs";
import { leaveOutOfSteps } from "../../../flow/workflows/operate/leave-out-denied.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { presentPage, readPageById } from "../../../platform/listing/page.ts";
import { getWorkflowRun } from "../get-workflow-run.ts";
import { listSteps as listRows } from "../queries.ts";

/** In definition order by default. */
export async function listSteps(ctx: ProjectCtx, id: string, query: ListStepsQuery) {
  const run = await getWorkflowRun(ctx, id);
  const page = readPageById(ctx, `workflow-runs/${run.id}/steps`, { order: "asc", ...query }, "p");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, run.id, page));
  const steps = await leaveOutOfSteps(ctx, run.id, data);
  return { ...rest, data: steps.map(({ step_run_id, ...step }) => ({ ...step, id: step_run_id })) };
}
