import type { AccessPolicy, ProjectCtx } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { ApiError } from "../../errors/errors.ts";
import { touches } from "./decide.ts";
import { readAccess } from "./policies.ts";
import { withinPolicies } from "./visibility.ts";

type Owner = { id: string; environment_id: string | null; tags: Record<string, string> };

const KINDS = {
  job: { scope: "runs:read", table: "runs", run: "run", column: "job_id" },
  workflow: { scope: "workflows:read", table: "workflow_runs", run: "workflow_run", column: "workflow_id" },
} as const;

/**
 * A caller who may not read runs of a job or workflow may not change where they are sent: a replay or retry would
 * deliver them to the caller. `fields`: the fields to change.
 */
export async function refuseRedirecting(
  ctx: ProjectCtx,
  kind: keyof typeof KINDS,
  owner: Owner,
  fields: readonly string[],
): Promise<void> {
  if (fields.length === 0) return;
  const { scope, run, column } = KINDS[kind];
  const { policies } = await readAccess(ctx, ctx.caller, ctx.project_id, scope);
  const { id, environment_id, tags } = owner;
  for (const policy of policies) {
    if (policy.effect !== "deny") continue;
    const isOfAll = touches(policy, { type: run, id: "", [column]: id, environment_id, tags });
    if (!isOfAll && !(await hasRunUnder(ctx, kind, id, policy))) continue;
    const message = `sets where runs are sent, and the policy ${policy.id} does not let the caller read them`;
    throw new ApiError("policy_denied", `The policy ${policy.id} denies ${scope} on runs of this ${kind}.`, {
      errors: fields.map((field) => ({ location: `body.${field}`, message, value: null })),
    });
  }
}

/** Runs have tags and environments of their own. */
async function hasRunUnder(
  ctx: ProjectCtx,
  kind: keyof typeof KINDS,
  owner_id: string,
  policy: AccessPolicy,
): Promise<boolean> {
  const { scope, table } = KINDS[kind];
  const denied = { action: scope, isHeld: false, policies: [{ ...policy, effect: "allow" as const }] };
  const under = withinPolicies(denied, table, "r");
  const { project_id } = ctx;
  const { rows } = await (kind === "job"
    ? sql`select 1 from runs r where r.project_id = ${project_id} and r.job_id = ${owner_id} and ${under} limit 1`
    : sql`
        select 1 from workflow_runs r
        where r.project_id = ${project_id} and r.workflow_id = ${owner_id} and ${under} limit 1`
  ).execute(ctx.db);
  return rows.length > 0;
}
