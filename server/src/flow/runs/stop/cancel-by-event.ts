import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import type { OutboxEntry } from "../../../platform/outbox/enqueue-outbox.ts";
import { wake } from "../../../platform/wake.ts";
import { type CancelingEvent, takeCancelKeys } from "../../waits/send/take-cancel-keys.ts";
import { cancelWorkflowRun } from "../../workflows/stop/cancel-workflow-run.ts";

/** Cancels a workflow run whose `cancel_on` an event has matched. An ended one is left as it is. */
export async function cancelWorkflowByEvent(ctx: Ctx, { project_id, target_id, detail }: OutboxEntry): Promise<void> {
  const { reason, by = { id: null, name: "an event" } } = detail as { reason: string; by?: Actor };
  await cancelWorkflowRun(ctx, { project_id, workflow_run_id: target_id }, { cause: "canceled", reason, by });
}

/** Continues an event that cancels more runs than one request may. */
export async function cancelMoreByEvent(tx: Ctx & InTransaction, { detail }: OutboxEntry): Promise<void> {
  await takeCancelKeys(tx, detail as CancelingEvent);
  wake(tx, "outbox"); // there may be another page, even if no run of this one was active
}
