import { expandScopes, type ScopeList } from "@millrace/contract/scopes";
import type { ProjectCtx } from "../context.ts";
import { ApiError } from "../errors.ts";
import { readAccess } from "./policies.ts";

/**
 * Whoever is denied something by name gives nobody else the right to it: a key or a member of his own making would be
 * under another name, and do it for him. What is denied to everybody is denied to them, too.
 */
export async function refuseDeniedGrant(ctx: ProjectCtx, scopes: ScopeList): Promise<void> {
  for (const scope of expandScopes(scopes)) {
    const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
    const denying = policies.find(({ effect, subject }) => effect === "deny" && subject !== "*");
    if (!denying) continue;
    throw new ApiError(
      "grant_too_wide",
      `The policy ${denying.id} denies ${scope} to the caller, who cannot give it away.`,
    );
  }
}
