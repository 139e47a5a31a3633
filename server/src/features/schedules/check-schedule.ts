import type { ProblemError } from "@millrace/contract/problem";
import type { CreateSchedule } from "@millrace/contract/schedules";
import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import { findEnvironment } from "../../platform/access/find-environment.ts";
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
