import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { ackOutboxEntries } from "../../../platform/outbox/claim-outbox.ts";
import type { OutboxEntry } from "../../../platform/outbox/enqueue-outbox.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { type CancelingEvent, consumeCancelKeys } from "../../waits/consume-cancel-keys.ts";
import { cancelWorkflowRun } from "../../workflows/stop/cancel-workflow-run.ts";
import { cancelRun, cancelRuns } from "./cancel-runs.ts";

/**
 * Cancels the job runs of canceled, skipped or reset steps of one project: those with the same reason in one
 * transaction. Ended runs are left as they are.
 */
export async function cancelStepRuns(ctx: Ctx, entries: readonly OutboxEntry[]): Promise<void> {
  for (const entry of entries.filter(continuesTree)) {
    const { project_id, target_id: run_id } = entry;
    await cancelRun(ctx, { project_id, run_id, cause: "canceled", ...cancelReasonOf(entry) });
  }
  const whole = entries.filter((entry) => !continuesTree(entry));
  for (const some of groupBy(whole, (entry) => JSON.stringify(cancelReasonOf(entry))).values()) {
    const { project_id } = some[0] as OutboxEntry;
    const why = cancelReasonOf(some[0] as OutboxEntry);
    const run_ids = [...new Set(some.map(({ target_id }) => target_id))];
    await cancelRuns(ctx, async (tx, cancel) => {
      await ackOutboxEntries(tx, some);
      await cancel({ project_id, run_ids, ...why });
    });
  }
}

/**
 * For descendants beyond the page of the transaction that canceled the run: only `cancelRun` continues below an ended
 * run.
 */
function continuesTree({ transition_id }: OutboxEntry): boolean {
  return transition_id.endsWith(":below");
}

/** `by`: the sender of the event that cancels it. */
function cancelReasonOf({ detail }: OutboxEntry): { reason: string; by: Actor } {
  const { reason, by = { id: null, name: "its workflow run" } } = detail as { reason: string; by?: Actor };
  return { reason, by };
}

const PAGE = 300;
const REASON = "An ancestor workflow run was canceled.";

/**
 * Cancels marked runs of a project that were spawned and therefore belong to no step, a page at a time. Runs of steps
 * have outbox entries of their own, with the reason of each cancellation.
 */
export async function cancelStopped(ctx: Ctx, project_id: string): Promise<void> {
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const { rows } = await sql<{ run_id: string }>`
      select q.run_id from run_queue q
      join runs r on r.project_id = q.project_id and r.id = q.run_id and r.workflow_run_id is null
      where q.project_id = ${project_id} and q.stopped = 'cancel' and q.run_id > ${after}::uuid
      order by q.run_id limit ${PAGE}`.execute(ctx.db);
    const run_ids = rows.map((row) => row.run_id);
    if (run_ids.length === 0) return;
    await cancelRuns(ctx, (_tx, cancel) =>
      cancel({ project_id, run_ids, reason: REASON, by: { id: null, name: "its workflow run" } }),
    );
    after = run_ids.at(-1) ?? after;
  }
}

/** Cancels a workflow run whose `cancel_on` an event has matched. An ended one is left as it is. */
export async function cancelWorkflowByEvent(ctx: Ctx, { project_id, target_id, detail }: OutboxEntry): Promise<void> {
  const { reason, by = { id: null, name: "an event" } } = detail as { reason: string; by?: Actor };
  await cancelWorkflowRun(ctx, { project_id, workflow_run_id: target_id }, { cause: "canceled", reason, by });
}

/** Continues an event that cancels more runs than one request may. */
export async function cancelMoreByEvent(tx: Ctx & InTransaction, { detail }: OutboxEntry): Promise<void> {
  await consumeCancelKeys(tx, detail as CancelingEvent);
  wake(tx, "outbox"); // there may be another page, even if no run of this one was active
}
