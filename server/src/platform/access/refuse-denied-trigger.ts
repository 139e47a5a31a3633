import type { ProjectCtx } from "../context.ts";
import { ApiError } from "../errors.ts";
import { type Target, touches } from "./decide.ts";
import { type AccessPolicy, readAccess } from "./policies.ts";

type Kind = "job" | "workflow";

/** The policies by which the caller starts no runs of what they touch. */
export async function triggerDenials(ctx: ProjectCtx, kind: Kind): Promise<AccessPolicy[]> {
  const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, `${kind}s:trigger`);
  return policies.filter(({ effect }) => effect === "deny");
}

/** Whoever is denied to trigger something starts it by no other way: not by its times, nor by doing a run again. */
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
