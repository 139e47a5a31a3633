import type { ProjectCtx } from "../../context.ts";
import { ApiError } from "../../errors/errors.ts";
import { type Target, touches } from "./decide.ts";
import { type AccessPolicy, readAccess } from "./policies.ts";

type Kind = "job" | "workflow";

/** The policies that stop the caller from triggering runs of the objects they match. */
export async function triggerDenials(ctx: ProjectCtx, kind: Kind): Promise<AccessPolicy[]> {
  const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, `${kind}s:trigger`);
  return policies.filter(({ effect }) => effect === "deny");
}

/** A caller who may not trigger something may not start it indirectly either, by a schedule or by replaying a run. */
export async function refuseDeniedTrigger(
  ctx: ProjectCtx,
  kind: Kind,
  ...targets: readonly Omit<Target, "type">[]
): Promise<void> {
  const apiError = deniedTrigger(await triggerDenials(ctx, kind), kind, ...targets);
  if (apiError) throw apiError;
}

export function deniedTrigger(
  denials: readonly AccessPolicy[],
  kind: Kind,
  ...targets: readonly Omit<Target, "type">[]
): ApiError | undefined {
  const denying = denials.find((policy) => targets.some((target) => touches(policy, { ...target, type: kind })));
  if (!denying) return undefined;
  return new ApiError("policy_denied", `The policy ${denying.id} denies ${kind}s:trigger, and this would start a run.`);
}
