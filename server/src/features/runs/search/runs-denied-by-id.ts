import { readAccess } from "../../../platform/access/policies/policies.ts";
import type { ProjectCtx } from "../../../platform/context.ts";

/**
 * Returns, by run id, the policies that hide that run from the caller by its id. Such a run is not replayed: the
 * replay would be a copy under another id, which the policy does not cover.
 */
export async function runsDeniedById(ctx: ProjectCtx): Promise<Map<string, string>> {
  const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, "runs:read");
  return new Map(
    policies.flatMap(({ id, effect, resource_id }) =>
      effect === "deny" && resource_id !== null && resource_id !== "*" ? [[resource_id, id]] : [],
    ),
  );
}
