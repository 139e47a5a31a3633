import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { lockStepRuns } from "../../workflows/progress/end-waiting-steps.ts";
import type { TriggerRow } from "../read-trigger.ts";
import { resolveTriggers } from "../resolve/resolve-trigger.ts";
import type { Sender } from "./sender.ts";

/** An event in delivery, and the workflow runs to be locked with that of its receiver. */
type Event = Sender & { payload: unknown; send_id?: string; workflow_run_ids?: string[] };

/**
 * Delivers an event to a trigger that was read as waiting, in the lock order of its source. Undefined: it has ended
 * meanwhile, by its timer or a cancel.
 */
export async function deliverEvent(
  tx: Ctx & InTransaction,
  { project_id, id, workflow_run_id }: Pick<TriggerRow, "project_id" | "id" | "workflow_run_id">,
  { workflow_run_ids = [], ...event }: Event,
): Promise<TriggerRow | undefined> {
  const locked = workflow_run_id === null ? workflow_run_ids : [workflow_run_id, ...workflow_run_ids];
  const end = { status: "received", ...event } as const;
  // Pipelined, the locks of the workflow runs first.
  const [, [ended]] = await Promise.all([
    locked.length > 0 && lockStepRuns(tx, project_id, locked),
    resolveTriggers(tx, [{ project_id, trigger_id: id }], end),
  ]);
  if (!ended) return undefined;
  const { generation: _, ...trigger } = ended;
  return trigger;
}
