import type { Ctx, InTransaction } from "../platform/context.ts";
import { isConnectionLoss } from "../platform/database/database-errors.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { ApiError } from "../platform/errors/errors.ts";
import { logFailure } from "../platform/logging/log-failure.ts";
import { ackOutboxEntries, ackOutboxEntry, returnToOutbox } from "../platform/outbox/claim-outbox.ts";
import type { OutboxEntry } from "../platform/outbox/enqueue-outbox.ts";
import { emitEvent } from "./events/emit-event.ts";
import { resolveChildWait } from "./events/resolve-triggers.ts";
import { startOnFailure } from "./runs/create/start-on-failure.ts";
import { settleDependents } from "./runs/dependencies/settle-dependents.ts";
import {
  cancelMoreByEvent,
  cancelStepRuns,
  cancelStopped,
  cancelWorkflowByEvent,
} from "./runs/stop/cancel-by-outbox.ts";
import { publishTrigger } from "./waits/trigger-changes.ts";
import { progressRuns } from "./workflows/progress/progress-runs.ts";
import { startOnWorkflowFailure } from "./workflows/start/start-on-workflow-failure.ts";
import { cancelChildren } from "./workflows/stop/cancel-children.ts";
import type { WorkflowRunKey } from "./workflows/workflow-run-changes.ts";

/** Kinds with many entries per transaction. */
export const BATCHED_KINDS = ["progress", "child_workflow_ended", "cancel_run", "cancel_child"];

/** `failed`: will be retried. `left`: not finished yet. */
type Done = { failed: number; left: number };

/**
 * Processes the consequences of transitions: claimed entries of one project and one kind, in order. Each is guarded,
 * and deleted in the same transaction or after it: a crash after the transition loses nothing, and two concurrent
 * attempts take effect once.
 */
export async function runOutboxEntries(ctx: Ctx, entries: readonly OutboxEntry[]): Promise<Done> {
  const done: Done = { failed: 0, left: 0 };
  if (entries.length > 1 && (await runTogether(ctx, entries))) return done;
  for (const entry of entries) {
    try {
      if (!(await runOutboxEntry(ctx, entry))) done.left++;
    } catch (error) {
      logFailure(ctx, error, { entry: { ...entry, detail: undefined } }, "an outbox entry failed");
      // Still claimed by this instance, which retries them when the database is back.
      if (isConnectionLoss(error)) return { failed: entries.length, left: 0 };
      // A failing entry must not delay the others: it moves to the end of its lane.
      done.failed++;
      await returnToOutbox(ctx, entry).catch(() => {});
    }
  }
  return done;
}

/** False: the batch failed; processing them one by one shows which of them fail. */
async function runTogether(ctx: Ctx, entries: readonly OutboxEntry[]): Promise<boolean> {
  const kind = entries[0]?.kind ?? "";
  if (!BATCHED_KINDS.includes(kind)) return false;
  try {
    await runMany(ctx, kind, entries);
    await ackOutboxEntries(ctx, entries);
    return true;
  } catch {
    return false;
  }
}

/** These use transactions of their own, and are safe to repeat. */
async function runMany(ctx: Ctx, kind: string, entries: readonly OutboxEntry[]): Promise<void> {
  if (kind === "cancel_run") await cancelStepRuns(ctx, entries);
  else if (kind === "cancel_child") await cancelChildren(ctx, entries);
  else await progressRuns(ctx, entries.map(keyOf));
}

/** False: it stays in the outbox. */
async function runOutboxEntry(ctx: Ctx, entry: OutboxEntry): Promise<boolean> {
  if (BATCHED_KINDS.includes(entry.kind)) await runMany(ctx, entry.kind, [entry]);
  if (entry.kind === "cancel_workflow_run") await cancelWorkflowByEvent(ctx, entry);
  if (entry.kind === "cancel_stopped") await cancelStopped(ctx, entry.project_id);
  if (entry.kind === "dependents" && !(await releaseDependents(ctx, entry))) return false;
  await inTransaction(ctx, (tx) => processEntry(tx, entry));
  return true;
}

async function processEntry(tx: Ctx & InTransaction, entry: OutboxEntry): Promise<void> {
  // First, so that a concurrent attempt waits here and finds nothing left to do.
  if (!(await ackOutboxEntry(tx, entry))) return;
  try {
    await runKind(tx, entry);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tx.log.warn({ entry, reason: error.message }, "an outbox entry was refused and is dropped");
  }
}

async function runKind(tx: Ctx & InTransaction, entry: OutboxEntry): Promise<void> {
  switch (entry.kind) {
    case "on_failure":
      return startOnFailure(tx, entry);
    case "workflow_on_failure":
      return startOnWorkflowFailure(tx, entry);
    case "emit":
      return emitEvent(tx, entry);
    case "publish_event_trigger":
      return publishTrigger(tx, entry);
    case "child_ended":
      return resolveChildWait(tx, entry);
    case "cancel_on":
      return cancelMoreByEvent(tx, entry);
    case "cancel_run":
    case "cancel_workflow_run":
    case "cancel_child":
    case "child_workflow_ended":
    case "cancel_stopped":
    case "progress":
    case "dependents":
      return;
    default:
      throw new Error(`unknown kind of outbox entry: ${entry.kind}`);
  }
}

/** False: there are more. */
async function releaseDependents(ctx: Ctx, { project_id, target_id: run_id }: OutboxEntry): Promise<boolean> {
  const { isDone } = await settleDependents(ctx, { project_id, run_id });
  return isDone;
}

function keyOf({ project_id, target_id: workflow_run_id }: OutboxEntry): WorkflowRunKey {
  return { project_id, workflow_run_id };
}
