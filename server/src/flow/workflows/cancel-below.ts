import type { Ctx, InTransaction } from "../../platform/context.ts";
import { groupBy } from "../../platform/group-by.ts";
import { type CanceledItems, cancelItems } from "./cancel-items.ts";
import { stopChildren } from "./stop-children.ts";

type StoppedStep = {
  project_id: string;
  workflow_run_id: string;
  step_ref: string;
  type: string;
  reason: string;
  /** What runs in it is canceled, but the step waits for it. */
  keeps: boolean;
};

/** Cancels what steps with items or workflow runs below them have under way, by effects. `running`: how many there are. */
export async function cancelBelow(tx: Ctx & InTransaction, steps: readonly StoppedStep[]): Promise<CanceledItems> {
  const maps = steps.filter(({ type }) => type === "map");
  const parents = steps.filter(({ type }) => type === "map" || type === "sub_workflow");
  if (parents.length === 0) return { running: 0, lanes: [] };
  const items = await cancelItems(tx, maps);
  const children = await stopChildren(tx, [...groupBy(parents, (step) => step.workflow_run_id).values()].map(orderOf));
  return { running: items.running + children, lanes: items.lanes };
}

function orderOf(steps: readonly StoppedStep[]) {
  const [{ project_id, workflow_run_id, reason } = { project_id: "", workflow_run_id: "", reason: "" }] = steps;
  return { project_id, workflow_run_id, reason, refs: steps.map(({ step_ref }) => step_ref) };
}
