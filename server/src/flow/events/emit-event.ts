import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { newId } from "../../platform/ids.ts";
import type { OutboxEntry } from "../../platform/outbox/enqueue-outbox.ts";
import { chainDepth, MAX_CHAIN_LENGTH } from "../runs/create/loop-guards.ts";
import { bufferEvent } from "../waits/buffered-events.ts";
import { consumeCancelKeys, hasCancelKeys } from "../waits/consume-cancel-keys.ts";
import { type EventKey, lockEventKeys } from "../waits/event-keys.ts";
import { findUserTrigger, findWaiting, type TriggerRow } from "../waits/find-trigger.ts";
import { lockRunsOfSteps } from "../workflows/progress/end-waiting-steps.ts";
import { notifyWorkflowRuns, recordDecisions } from "../workflows/workflow-run-changes.ts";
import { deliverEvent } from "./send-event.ts";

type EmitDetail = { payload: unknown; buffer_secs: number; workflow_run_id: string; step_ref: string };
type Emitted = { reason: string; event_trigger_id?: string };

/**
 * Sends the output of a completed step as an event, to a step or a run that waits for the key. The result is recorded
 * in explain; the step has completed either way.
 */
export async function emitEvent(tx: Ctx & InTransaction, entry: OutboxEntry): Promise<void> {
  const { project_id, target_id: event_key } = entry;
  const detail = entry.detail as EmitDetail;
  const { workflow_run_id, step_ref } = detail;
  await lockEventKeys(tx, [{ project_id, event_key }]);
  const { reason, event_trigger_id = null } = await emitInChain(tx, { project_id, event_key }, detail);
  await recordDecisions(tx, { project_id, workflow_run_id }, [
    { step_ref, decision_type: "emit", reason, detail: { event_key, event_trigger_id } },
  ]);
  notifyWorkflowRuns(tx, [{ project_id, workflow_run_id }]);
}

/** Sends the event, unless the chain of emitted events that led to it is too long. */
async function emitInChain(tx: Ctx & InTransaction, key: EventKey, detail: EmitDetail): Promise<Emitted> {
  const { workflow_run_id, step_ref } = detail;
  const depth = 1 + (await chainDepth(tx, key.project_id, { kind: "workflow_run", id: workflow_run_id }));
  if (depth > MAX_CHAIN_LENGTH) {
    await lockRunsOfSteps(tx, key.project_id, [workflow_run_id]);
    const reason = `did not send ${key.event_key}: it would be event ${depth} of a chain, and at most ${MAX_CHAIN_LENGTH} are allowed`;
    return { reason };
  }
  // Cancel keys are taken before the workflow runs are locked.
  const sent_by = `workflow_run:${workflow_run_id}/${step_ref}`;
  const isCanceling = await hasCancelKeys(tx, key);
  const canceled = isCanceling
    ? await consumeCancelKeys(tx, { ...key, is_prefix: false, send_id: newId(), sent_by })
    : [];
  const emitted = await emit(tx, key, { ...detail, depth });
  if (canceled.length === 0) return emitted;
  return { ...emitted, reason: `${emitted.reason}; runs canceled: ${canceled.length}` };
}

/** The workflow runs of sender and receiver are locked together: each may be sending to the other. */
async function emit(tx: Ctx & InTransaction, key: EventKey, detail: EmitDetail & { depth: number }): Promise<Emitted> {
  const { payload, workflow_run_id, step_ref } = detail;
  const sent_by = `workflow_run:${workflow_run_id}/${step_ref}`;
  const waiter = await findWaiting(tx, key);
  const event = { payload, sent_by, workflow_run_ids: [workflow_run_id] };
  const trigger = waiter && (await deliverEvent(tx, waiter, event));
  if (trigger) {
    await deepenChain(tx, trigger, detail.depth);
    return { reason: `sent ${key.event_key} to ${receiverOf(trigger)}`, event_trigger_id: trigger.id };
  }
  if (!waiter) await lockRunsOfSteps(tx, key.project_id, [workflow_run_id]);
  return buffer(tx, key, detail, sent_by);
}

async function buffer(tx: Ctx & InTransaction, key: EventKey, { payload, buffer_secs }: EmitDetail, sent_by: string) {
  if (buffer_secs > 0) {
    const buffered = await bufferEvent(tx, { ...key, payload, sent_by, buffer_secs });
    if (typeof buffered === "string")
      return { reason: `sent ${key.event_key}, but nothing was waiting for it: ${buffered}` };
    return { reason: `sent ${key.event_key}, buffered until ${buffered.expires_at}: nothing was waiting for it yet` };
  }
  const newest = await findUserTrigger(tx, key);
  if (newest?.status !== "received") return { reason: `sent ${key.event_key}, but nothing was waiting for it` };
  return { reason: `sent ${key.event_key}, which was already received`, event_trigger_id: newest.id };
}

/** The receiver's own events follow this one. */
async function deepenChain(tx: Ctx & InTransaction, trigger: TriggerRow, depth: number): Promise<void> {
  const { project_id, workflow_run_id, job_run_id } = trigger;
  if (workflow_run_id === null) {
    await sql`update runs set chain_depth = greatest(chain_depth, ${depth})
      where project_id = ${project_id} and id = ${job_run_id}`.execute(tx.db);
    return;
  }
  await sql`update workflow_runs set chain_depth = greatest(chain_depth, ${depth})
    where project_id = ${project_id} and id = ${workflow_run_id}`.execute(tx.db);
}

function receiverOf({ workflow_run_id, job_run_id }: TriggerRow): string {
  return workflow_run_id === null ? `the run ${job_run_id}` : `a step of the workflow run ${workflow_run_id}`;
}
