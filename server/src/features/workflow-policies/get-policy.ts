import { NO_POLICY } from "../../flow/workflows/start/workflow-policy.ts";
import type { CallerCtx } from "../../platform/context.ts";
import { ownProject } from "./own-project.ts";
import { findPolicyRow, type PolicyRow } from "./queries.ts";

/** A project without a policy allows everything. */
export async function getPolicy(ctx: CallerCtx, project: string): Promise<PolicyRow> {
  const own = await ownProject(ctx, project);
  return (await findPolicyRow(own)) ?? { project_id: own.project_id, ...NO_POLICY, updated_by: null, updated_at: null };
}
