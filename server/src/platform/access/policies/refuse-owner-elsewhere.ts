import type { ProjectCtx } from "../../context.ts";
import { findTarget } from "../find-target.ts";
import { refuseElsewhere } from "./refuse-retagging.ts";

type Starter = { job_id: string | null; workflow_id: string | null; environment_id: string | null };

/**
 * Stops a schedule or subscription from starting a job or workflow in another environment, or from being moved there,
 * when a policy denies the caller read access by environment. One without an environment of its own is in that of its job
 * or workflow.
 */
export async function refuseOwnerElsewhere(ctx: ProjectCtx, after: Starter, before: Starter = after): Promise<void> {
  const { job_id, workflow_id } = after;
  const owner = await (workflow_id === null
    ? findTarget(ctx, "job", job_id ?? "")
    : findTarget(ctx, "workflow", workflow_id));
  const own = owner?.environment_id ?? null;
  const there = after.environment_id ?? own;
  const scopes = ["jobs:read", "runs:read", ...(workflow_id === null ? [] : (["workflows:read"] as const))] as const;
  await refuseElsewhere(ctx, scopes, own, there);
  await refuseElsewhere(ctx, scopes, before.environment_id ?? own, there);
}
