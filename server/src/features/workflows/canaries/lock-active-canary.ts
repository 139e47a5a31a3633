import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import { lockWorkflow, type WorkflowRow } from "../queries.ts";
import { refuseBeyondKey } from "../validate/references.ts";
import { type CanaryRow, findCanary } from "./canary-queries.ts";

/** Returns the active canary with its workflow locked, so that the second of two concurrent changes sees the first. */
export async function lockActiveCanary(
  tx: ProjectCtx & InTransaction,
  ref: string,
): Promise<{ workflow: WorkflowRow; canary: CanaryRow }> {
  const workflow = await lockWorkflow(tx, ref);
  if (!workflow) throw notFound("workflow");
  refuseBeyondKey(tx, workflow.environment_id);
  const canary = await findCanary(tx, tx.project_id, workflow.id);
  if (!canary) throw notFound("canary");
  if (canary.status !== "active") throw canaryEnded(canary);
  return { workflow, canary };
}

export function canaryEnded({ status }: Pick<CanaryRow, "status">): ApiError {
  const how = status === "active" ? "ended meanwhile" : status.replace("_", " ");
  return new ApiError("canary_ended", `The canary has been ${how}.`);
}
