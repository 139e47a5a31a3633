import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import { hasEnvironment } from "../../platform/access/has-environment.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { parseCron } from "../../platform/cron.ts";
import { invalid, Refusal } from "../../platform/errors.ts";

/** Refuses an expression that cannot be read or never fires, and an unknown zone. */
export function checkTimes({ cron, timezone }: { cron: string; timezone: string }): void {
  const parsed = parseCron(cron, timezone);
  if (parsed.ok) return;
  throw invalid(`body.${parsed.field}`, parsed.message, parsed.field === "cron" ? cron : timezone);
}

/** A key that is bound to an environment has its schedules there, and nowhere else. */
export async function chooseEnvironment(ctx: ProjectCtx, asked: string | null | undefined): Promise<string | null> {
  const bound = boundEnvironment(ctx.caller);
  if (asked === undefined) return bound;
  if (asked === null && bound === null) return null;
  if (asked === null || (bound !== null && asked !== bound))
    throw new Refusal("forbidden", "This key is bound to one environment: its schedules run there.");
  if (!(await hasEnvironment(ctx, asked)))
    throw invalid("body.environment_id", "is not an environment of this project", asked);
  return asked;
}
