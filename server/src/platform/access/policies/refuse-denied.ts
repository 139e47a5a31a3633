import { expandScopes, holdsScope, type Scope, type ScopeList } from "@millrace/contract/access/scopes";
import type { AccessPolicy, ProjectCtx } from "../../context.ts";
import { ApiError } from "../../errors/errors.ts";
import { findTarget } from "../find-target.ts";
import { type Target, touches } from "./decide.ts";
import { readAccess } from "./policies.ts";
import { refuseOtherEnvironment } from "./refuse-retagging.ts";

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

type Starter = { job_id: string | null; workflow_id: string | null; environment_id: string | null };

/**
 * Stops a schedule or subscription from starting a job or workflow in another environment, or from being moved there,
 * when a policy denies the caller read access by environment. One without an environment of its own is in that of its job
 * or workflow.
 */
export async function refuseOtherOwnerEnvironment(
  ctx: ProjectCtx,
  after: Starter,
  before: Starter = after,
): Promise<void> {
  const { job_id, workflow_id } = after;
  const owner = await (workflow_id === null
    ? findTarget(ctx, "job", job_id ?? "")
    : findTarget(ctx, "workflow", workflow_id));
  const own = owner?.environment_id ?? null;
  const there = after.environment_id ?? own;
  const scopes = ["jobs:read", "runs:read", ...(workflow_id === null ? [] : (["workflows:read"] as const))] as const;
  await refuseOtherEnvironment(ctx, scopes, own, there);
  await refuseOtherEnvironment(ctx, scopes, before.environment_id ?? own, there);
}

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
