import type { ScheduleRow } from "../../flow/schedules/schedule-rows.ts";
import { findTarget } from "../../platform/access/find-target.ts";
import { refuseDeniedTrigger, triggerDenials } from "../../platform/access/policies/refuse-denied-trigger.ts";
import type { ProjectCtx } from "../../platform/context.ts";

/**
 * A caller who may not trigger the schedule's job or workflow may neither start it through the schedule nor change what
 * the schedule starts.
 */
export async function refuseUntriggerable(
  ctx: ProjectCtx,
  { job_id, workflow_id, environment_id }: Pick<ScheduleRow, "job_id" | "workflow_id" | "environment_id">,
): Promise<void> {
  const [kind, id] = workflow_id === null ? (["job", job_id] as const) : (["workflow", workflow_id] as const);
  if ((await triggerDenials(ctx, kind)).length === 0) return;
  const owner = await findTarget(ctx, kind, id ?? "");
  if (owner) await refuseDeniedTrigger(ctx, kind, owner, { ...owner, ...(environment_id && { environment_id }) });
}
