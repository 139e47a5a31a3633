import { expandScopes, type ScopeList } from "@millrace/contract/scopes";
import type { ProjectCtx } from "../../context.ts";
import { ApiError } from "../../errors/errors.ts";
import { readAccess } from "./policies.ts";

/**
 * A caller who is denied something by name may not grant it to anyone: a key or member they create has another name and
 * could act for them. Denies for everyone also apply to the new key or member.
 */
export async function refuseDeniedGrant(ctx: ProjectCtx, scopes: ScopeList): Promise<void> {
  for (const scope of expandScopes(scopes)) {
    const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
    const denying = policies.find(({ effect, subject }) => effect === "deny" && subject !== "*");
    if (!denying) continue;
    throw new ApiError(
      "grant_too_wide",
      `The policy ${denying.id} denies ${scope} to the caller, who therefore cannot grant it.`,
    );
  }
}
