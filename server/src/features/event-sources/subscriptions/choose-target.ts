import type { CreateEventSubscription } from "@millrace/contract/event-sources";
import { holdsScope, type Scope } from "@millrace/contract/scopes";
import { withDenies } from "../../../platform/access/policies/policies.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { ApiError, invalid } from "../../../platform/errors/errors.ts";
import { findJobId, findWorkflowId, type SubscriptionRow } from "./subscription-queries.ts";

type Target = Pick<SubscriptionRow, "job_id" | "workflow_id">;

/** The target of a subscription: either a job or a workflow, which the caller must be allowed to trigger. */
export async function chooseTarget(ctx: ProjectCtx, requested: CreateEventSubscription): Promise<Target> {
  const { job_id, workflow_id } = requested;
  if (job_id !== undefined && workflow_id !== undefined) {
    throw invalid("body.workflow_id", "cannot be given together with job_id", workflow_id);
  }
  if (workflow_id !== undefined) {
    requireScope(ctx, "workflows:trigger");
    const found = await findWorkflowId(await withDenies(ctx, "workflows:trigger"), workflow_id);
    if (!found) throw invalid("body.workflow_id", "is not a workflow of this project", workflow_id);
    return { job_id: null, workflow_id: found };
  }
  if (job_id === undefined) throw invalid("body.job_id", "is required unless workflow_id is given", null);
  requireScope(ctx, "jobs:trigger");
  const found = await findJobId(await withDenies(ctx, "jobs:trigger"), job_id);
  if (!found) throw invalid("body.job_id", "is not a job of this project", job_id);
  return { job_id: found, workflow_id: null };
}

/** A caller who changes the input of a job or workflow must be allowed to trigger it. */
export function requireTargetScope(ctx: ProjectCtx, { workflow_id }: Target): void {
  requireScope(ctx, workflow_id === null ? "jobs:trigger" : "workflows:trigger");
}

function requireScope({ caller }: ProjectCtx, scope: Scope): void {
  if (holdsScope(caller.scopes, scope)) return;
  throw new ApiError("scope_missing", `A subscription starts its target, which needs the scope ${scope}.`);
}
