import type { CreateSchedule } from "@millrace/contract/jobs/schedules";
import type { ProblemError } from "@millrace/contract/schema/problem";
import type { ScheduleRow } from "../../flow/schedules/schedule-rows.ts";
import { boundEnvironment } from "../../platform/access/environments.ts";
import { findEnvironment, findTarget } from "../../platform/access/find-target.ts";
import { refuseDeniedTrigger, triggerDenials } from "../../platform/access/policies/refuse-denied.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { cronIssues } from "../../platform/time/cron.ts";

/** Reports a cron expression that is invalid or never fires, and an unknown time zone. */
export function timesIssues(given: { cron: string; timezone: string }): ProblemError[] {
  return cronIssues(given.cron, given.timezone).map(({ field, message }) => ({
    location: `body.${field}`,
    message,
    value: given[field],
  }));
}

/** Semantic validation of a schedule, beyond its schema. */
export function scheduleSemanticValidation({
  cron = "@daily",
  timezone = "UTC",
}: Partial<CreateSchedule>): ProblemError[] {
  return timesIssues({ cron, timezone });
}

/** A key bound to an environment can have schedules only in that environment. */
export async function chooseEnvironment(ctx: ProjectCtx, requested: string | null | undefined): Promise<string | null> {
  const bound = boundEnvironment(ctx.caller);
  if (requested === undefined) return bound;
  if (requested === null && bound === null) return null;
  const found = requested === null ? undefined : await findEnvironment(ctx, requested);
  if (bound !== null && found !== bound)
    throw new ApiError("forbidden", "This key is bound to one environment: its schedules must use that environment.");
  if (found === undefined) throw invalid("body.environment_id", "is not an environment of this project", requested);
  return found;
}

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
