import type { TriggerWorkflow } from "@millrace/contract/workflows";
import type { WorkflowTrigger } from "../../../flow/workflows/start/prepare-workflow-run.ts";
import { readRequestedEnvironment } from "../../../platform/access/requested-environment.ts";
import { actorOf, createdBy } from "../../../platform/actor.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { invalid } from "../../../platform/errors/errors.ts";
import { hashRequest } from "../../../platform/idempotency-key.ts";
import { parseInstant } from "../../../platform/time/instant.ts";

/** The requested trigger, without the fields that are not the run's. */
export type TriggerInput = Omit<TriggerWorkflow, "project_id" | "dry_run">;

/** Checked as far as possible without the workflow. */
export async function readTrigger(ctx: ProjectCtx, input: TriggerInput): Promise<WorkflowTrigger> {
  const { environment_id, idempotency_key, scheduled_at, ...fields } = input;
  if (scheduled_at !== undefined && input.delay_secs !== undefined) {
    throw invalid("body.delay_secs", "cannot be given together with scheduled_at", input.delay_secs);
  }
  return {
    ...fields,
    scheduled_at: scheduled_at === undefined ? null : parseInstant("body.scheduled_at", scheduled_at),
    environment_id: await readRequestedEnvironment(ctx, environment_id, "body"),
    ...createdBy(actorOf(ctx.caller)),
    trigger_type: "api",
    ...(idempotency_key !== undefined && { idempotency_key, body_hash: await hashRequest(input) }),
  };
}
