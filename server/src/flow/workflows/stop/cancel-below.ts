import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { cancelItems } from "../map/cancel-items.ts";
import { stopChildren } from "./stop-children.ts";

type StoppedStep = {
  project_id: string;
  workflow_run_id: string;
  step_ref: string;
  type: string;
  reason: string;
  /** Running children are canceled, but the step waits for them. */
  keeps: boolean;
};

/** Cancels the running items or workflow runs of steps, through the outbox. */
export async function cancelBelow(tx: Ctx & InTransaction, steps: readonly StoppedStep[]): Promise<void> {
  const maps = steps.filter(({ type }) => type === "map");
  const parents = steps.filter(({ type }) => type === "map" || type === "sub_workflow");
  if (parents.length === 0) return;
  await cancelItems(tx, maps);
  await stopChildren(tx, [...groupBy(parents, (step) => step.workflow_run_id).values()].map(orderOf));
}

function orderOf(steps: readonly StoppedStep[]) {
  const [{ project_id, workflow_run_id, reason } = { project_id: "", workflow_run_id: "", reason: "" }] = steps;
  return { project_id, workflow_run_id, reason, refs: steps.map(({ step_ref }) => step_ref) };
}
