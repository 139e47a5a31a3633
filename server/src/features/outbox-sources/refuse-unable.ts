import { holdsScope } from "@millrace/contract/access/scopes";
import { triggerDenials } from "../../platform/access/policies/refuse-denied.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";

/** The rows of a source may start every job of the project, so whoever connects it must be able to. */
export async function refuseUnableToTrigger(ctx: ProjectCtx): Promise<void> {
  if (!holdsScope(ctx.caller.scopes, "jobs:trigger"))
    throw new ApiError("grant_too_wide", "An outbox source starts jobs, which requires jobs:trigger.");
  const [denying] = await triggerDenials(ctx, "job");
  if (denying)
    throw new ApiError("grant_too_wide", `The policy ${denying.id} does not let the caller start every job.`);
}
