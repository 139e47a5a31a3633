import { sendToKey } from "../features/events/send-to-key.ts";
import { triggerWorkflow } from "../features/workflows/trigger/trigger-workflow.ts";
import type { Ctx } from "../platform/context.ts";
import { demoCtx, NO_REPLY } from "./demo-ctx.ts";
import { APPROVAL_KEY, DEMO_WORKFLOW, LARGE_ORDER } from "./demo-workflow.ts";
import { printDemo } from "./print-demo.ts";

export type Resumed = { resumed_workflow_run_id: string | null; started_workflow_run_id: string | null };

/** Approves the waiting order. Without one, a new large order is started, to be approved in a moment. */
export async function resumeDemo(ctx: Ctx): Promise<Resumed> {
  const demo = demoCtx(ctx);
  const { waiting } = await printDemo(ctx);
  if (waiting) {
    const event = { payload: { approved: true, by: "you" }, idempotencyKey: undefined };
    await sendToKey(demo, APPROVAL_KEY, event, NO_REPLY);
    return { resumed_workflow_run_id: waiting.workflow_run_id, started_workflow_run_id: null };
  }
  const { id } = await triggerWorkflow(demo, DEMO_WORKFLOW.slug, { payload: LARGE_ORDER }, NO_REPLY);
  return { resumed_workflow_run_id: null, started_workflow_run_id: id };
}
