import type { EventStats } from "@millrace/contract/events";
import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { countInEnvironment, countInProject } from "./queries.ts";

/** A project has stored counts; those of one environment are counted on demand. */
export function countTriggers(ctx: ProjectCtx): Promise<EventStats> {
  const bound = boundEnvironment(ctx.caller);
  return bound === null ? countInProject(ctx) : countInEnvironment(ctx, bound);
}
