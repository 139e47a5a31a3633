import type { Scope } from "@millrace/contract/scopes";
import type { ProjectCtx } from "../context.ts";
import { Refusal } from "../errors.ts";
import { type Target, touches } from "./decide.ts";
import { type AccessPolicy, readAccess } from "./policies.ts";

/**
 * Whoever may not read by a tag, or an environment, does not change it: with it goes what the policy rests on. That
 * holds for what only a policy allows, too: nobody puts the tag on it that opens it to him.
 */
export async function refuseRetagging(ctx: ProjectCtx, scope: Scope, before: Target, after: Target): Promise<void> {
  const { isHeld, policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
  const lifted = policies.find(
    (policy) => (policy.effect === "deny" || !isHeld) && touches(policy, before) !== touches(policy, after),
  );
  if (lifted) throw retagging(lifted, scope);
}

type Tagged = { tags: Record<string, string> };

/** The same of a new run: it may have tags that its job, workflow or original has not, but loses none that deny. */
export async function refuseOverriding(ctx: ProjectCtx, scope: Scope, from: Tagged, run: Tagged): Promise<void> {
  const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
  const touchesTags = (policy: AccessPolicy, { tags }: Tagged) => touches(policy, { type: "", id: "", tags });
  const lifted = policies.find(
    (policy) =>
      policy.effect === "deny" && policy.tag_key !== null && touchesTags(policy, from) && !touchesTags(policy, run),
  );
  if (lifted) throw retagging(lifted, scope);
}

function retagging({ id, effect, tag_key }: AccessPolicy, scope: Scope): Refusal {
  const what = tag_key === null ? "the environment" : `the tag ${tag_key}`;
  const field = tag_key === null ? "environment_id" : "tags";
  const says = effect === "deny" ? "denies" : "allows";
  return new Refusal(
    "policy_denied",
    `The policy ${id} ${says} the caller ${scope} by ${what}: who is held by it cannot change that. Leave it as it is.`,
    {
      errors: [
        { location: `body.${field}`, message: `decides by the policy ${id} what the caller may read`, value: null },
      ],
    },
  );
}
