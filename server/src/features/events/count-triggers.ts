import type { EventStats } from "@millrace/contract/events";
import type { ProjectCtx } from "../../platform/context.ts";
import { countInEnvironment, countInProject } from "./queries.ts";

/** A project keeps its counts; those of one environment are counted. */
export function countTriggers(ctx: ProjectCtx): Promise<EventStats> {
  const bound = ctx.caller.kind === "api_key" ? ctx.caller.environment_id : null;
  return bound === null ? countInProject(ctx) : countInEnvironment(ctx, bound);
}
