import { holdsScope, type Scope } from "@millrace/contract/scopes";
import type { ProjectCtx } from "../../context.ts";
import { ApiError } from "../../errors/errors.ts";
import { readAccess } from "./policies.ts";

/** A caller who has objects sent outside must be able to read all of them, since they are not checked one by one. */
export async function refuseUnreadable(ctx: ProjectCtx, scopes: readonly Scope[]): Promise<void> {
  for (const scope of scopes) {
    if (!holdsScope(ctx.caller.scopes, scope))
      throw new ApiError(
        "grant_too_wide",
        `Reading the data to be sent requires ${scope}, which the caller does not have.`,
      );
    const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
    const denying = policies.find(({ effect }) => effect === "deny");
    if (denying)
      throw new ApiError(
        "grant_too_wide",
        `The policy ${denying.id} does not let the caller read some of the data to be sent.`,
      );
  }
}
