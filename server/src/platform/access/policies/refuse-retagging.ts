import type { Scope } from "@millrace/contract/access/scopes";
import type { AccessPolicy, Ctx, ProjectCtx } from "../../context.ts";
import { ApiError } from "../../errors/errors.ts";
import { type Target, touches } from "./decide.ts";
import { readAccess, readPoliciesForAll } from "./policies.ts";

/**
 * A caller who is denied reading by a tag or an environment may not change it: the policy depends on it. This also
 * covers access by allow policies: no caller may add the tag that grants them access.
 */
export async function refuseRetagging(ctx: ProjectCtx, scope: Scope, before: Target, after: Target): Promise<void> {
  const { isHeld, policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
  const lifted = policies.find(
    (policy) => (policy.effect === "deny" || !isHeld) && touches(policy, before) !== touches(policy, after),
  );
  if (lifted) throw retagging(lifted, scope);
}

type Tagged = { tags: Record<string, string> };

/** The same for a new run: it may add tags to those of its job, workflow or original, but lose none used by a deny. */
export async function refuseOverriding(ctx: ProjectCtx, scope: Scope, from: Tagged, run: Tagged): Promise<void> {
  const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
  const lifted = policies.find((policy) => isEvaded(policy, from, run));
  if (lifted) throw retagging(lifted, scope);
}

/** The same for a run that calls back: any caller may have started it. */
export async function refuseOverridingByRun(
  ctx: Ctx & { project_id: string },
  scope: Scope,
  from: Tagged,
  run: Tagged,
): Promise<void> {
  const lifted = (await readPoliciesForAll(ctx, ctx.project_id, scope)).find((policy) => isEvaded(policy, from, run));
  if (lifted) throw retagging(lifted, scope, "somebody");
}

function isEvaded(policy: AccessPolicy, from: Tagged, run: Tagged): boolean {
  const touchesTags = ({ tags }: Tagged) => touches(policy, { type: "", id: "", tags });
  return policy.effect === "deny" && policy.tag_key !== null && touchesTags(from) && !touchesTags(run);
}

/** An object in an environment that the caller may not read is not started in another, where its run could be read. */
export async function refuseOtherEnvironment(
  ctx: ProjectCtx,
  scopes: readonly Scope[],
  own: string | null,
  there: string | null,
): Promise<void> {
  if (own === null || own === there) return;
  const touchesIn = (policy: AccessPolicy, environment_id: string | null) =>
    touches(policy, { type: "", id: "", environment_id });
  for (const scope of scopes) {
    const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
    const lifted = policies.find(
      (policy) =>
        policy.effect === "deny" && policy.tag_key === null && touchesIn(policy, own) && !touchesIn(policy, there),
    );
    if (lifted) throw retagging(lifted, scope);
  }
}

/** Whether a policy denies the caller anything by tag or environment: most callers need no further check. */
export async function hasDenies(ctx: ProjectCtx, scopes: readonly Scope[]): Promise<boolean> {
  for (const scope of scopes) {
    const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
    const restsOn = ({ effect, tag_key, resource_type }: AccessPolicy) =>
      effect === "deny" && (tag_key !== null || resource_type === "environment");
    if (policies.some(restsOn)) return true;
  }
  return false;
}

function retagging({ id, effect, tag_key }: AccessPolicy, scope: Scope, whom = "the caller"): ApiError {
  const what = tag_key === null ? "the environment" : `the tag ${tag_key}`;
  const field = tag_key === null ? "environment_id" : "tags";
  const says = effect === "deny" ? "denies" : "allows";
  return new ApiError(
    "policy_denied",
    `The policy ${id} ${says} ${whom} ${scope} based on ${what}, so callers that it applies to cannot change ${what}.`,
    {
      errors: [
        { location: `body.${field}`, message: `cannot be changed: the policy ${id} depends on this`, value: null },
      ],
    },
  );
}
