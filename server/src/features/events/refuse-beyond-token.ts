import { limitsOf } from "../../platform/access/credentials/token-limits.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { findTrigger } from "./queries.ts";

/** A scoped token sends only to waits of its own runs, and cannot buffer events. */
export async function refuseBeyondToken(ctx: ProjectCtx, event_key: string, buffer_secs?: number): Promise<void> {
  if (!limitsOf(ctx.caller)) return;
  if (buffer_secs !== undefined) throw new ApiError("forbidden", "A scoped token cannot buffer events.");
  if (!(await findTrigger(ctx, event_key))) throw notFound("event trigger");
}
