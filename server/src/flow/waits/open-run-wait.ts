import { appendRunChanges, TRANSITION } from "../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction, RunCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { releaseSlots } from "../limits/unblock-next.ts";
import { countTransitions } from "../runs/count-transitions.ts";
import { resumeRuns } from "./end-run-waits.ts";
import type { WaitKind } from "./event-keys.ts";
import { TRIGGER_COLUMNS, type TriggerRow } from "./find-trigger.ts";
import { creationOf, insertTriggers, type NewTrigger } from "./insert-triggers.ts";
import {
  countCreatedTriggers,
  notifyReceived,
  notifyTriggers,
  SHARDS,
  updateTriggerCounts,
} from "./trigger-changes.ts";

type NewRunWait = Pick<NewTrigger, "id" | "wait_kind" | "received"> &
  Partial<Pick<NewTrigger, "event_key" | "child_run_id" | "timeout_secs" | "until" | "notify_url">>;

/**
 * Suspends the calling run until its trigger ends. If its event has already arrived, it is queued again at once. Call
 * it under the fence, and under the lock of the key if there is one. The quota comes last, since its refusal rolls back
 * all the rest.
 */
export async function openRunWait(tx: RunCtx & InTransaction, wait: NewRunWait): Promise<TriggerRow> {
  const { environment_id, ordinal, slots } = await suspendRun(tx);
  const [trigger] = await insertTriggers(tx, [triggerOf(tx, wait, { environment_id, ordinal })]);
  if (!trigger) throw new Error("the wait was not created");
  await releaseSlots(tx, tx.project_id, slots);
  countTransitions(tx, [{ from_status: "running", to_status: "waiting" }]);
  const isReceived = trigger.status === "received";
  if (isReceived) await resumeRuns(tx, [waitingRun(tx, trigger)]);
  if (!isReceived && trigger.wait_kind === "event") await requireQuota(tx, tx.project_id);
  await updateTriggerCounts(tx, [creationOf(trigger)]);
  if (isReceived) await notifyReceived(tx, [trigger]);
  notifyTriggers(tx, [{ project_id: trigger.project_id, trigger_id: trigger.id }]);
  countCreatedTriggers(tx, [trigger], Number(isReceived && trigger.wait_kind === "event"));
  return trigger;
}

function waitingRun({ project_id, run_id }: RunCtx, { id }: TriggerRow) {
  return { project_id, run_id, trigger_id: id };
}

function triggerOf(
  { project_id, run_id }: RunCtx,
  wait: NewRunWait,
  of: { environment_id: string; ordinal: number },
): NewTrigger {
  return {
    event_key: null,
    child_run_id: null,
    timeout_secs: null,
    until: null,
    notify_url: null,
    ...wait,
    ...of,
    project_id,
    job_run_id: run_id,
    workflow_run_id: null,
    workflow_step_run_id: null,
    generation: null,
  };
}

/** A run that has left its attempt and waits. */
type SuspendedRun = {
  environment_id: string;
  /** The number of this wait among those of the run. */
  ordinal: number;
  /** The slots it held, to be released. */
  slots: string[];
};

/**
 * Detaches the calling attempt: the run waits, and its lease ends with its queue row, so a later response of the
 * endpoint is ignored. Call it under the fence. A run whose workflow run was canceled opens no wait.
 */
async function suspendRun(tx: RunCtx & InTransaction): Promise<SuspendedRun> {
  const { rows } = await sql<Omit<SuspendedRun, "slots"> & { slots: string[] | null; stopped: string | null }>`
    /* prepared */
    with left_queue as (
      delete from run_queue where project_id = ${tx.project_id} and run_id = ${tx.run_id} returning slots, stopped
    ),
    moved as (
      update runs r set prev_status = r.status, status = 'waiting', transition_count = r.transition_count + 1, waits = r.waits + 1,
        updated_at = clock()
      where r.project_id = ${tx.project_id} and r.id = ${tx.run_id} and r.attempt = ${tx.attempt}
        and r.status = 'running'
      returning r.project_id, r.id, r.environment_id, r.transition_count, r.waits, r.attempt, r.updated_at
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
      select project_id, id, transition_count, 'running', 'waiting', 'waiting', attempt, updated_at from moved
      returning ${TRANSITION}
    ),
    ${appendRunChanges()}
    select m.environment_id, m.waits as ordinal, q.slots, q.stopped from moved m, left_queue q`.execute(tx.db);
  changesAppended(tx, "run");
  if (!rows[0]) throw new Error("the fenced run was not found");
  const { environment_id, ordinal, slots, stopped } = rows[0];
  if (stopped === "cancel") throw new ApiError("run_already_ended", "The run was canceled: it is about to end.");
  return { environment_id, ordinal, slots: slots ?? [] };
}

type OwnWait = TriggerRow & { child_run_id: string | null };

/** The wait that the calling attempt has opened: it did not receive the response and retries. */
export async function findOwnWait(ctx: RunCtx, wait_kind: WaitKind): Promise<OwnWait | undefined> {
  const { rows } = await sql<OwnWait>`
    select ${TRIGGER_COLUMNS}, t.child_run_id from runs r
    join event_triggers t on t.project_id = r.project_id and t.job_run_id = r.id and t.ordinal = r.waits
    where r.project_id = ${ctx.project_id} and r.id = ${ctx.run_id} and r.attempt = ${ctx.attempt}
      and r.status = 'waiting' and t.job_run_id is not null and t.status = 'waiting'
      and t.wait_kind = ${wait_kind}`.execute(ctx.db);
  return rows[0];
}

/** This close to the limit, the counters are locked. More waits than this are never opened concurrently. */
const NEAR = 256;

/**
 * Refuses another wait for an event if the project has reached its quota. Far from the limit the counters are only
 * read. Near it all are locked, in order, before the decision, so the quota is never exceeded. It is the last step of
 * its transaction except for counting the wait itself; a refusal rolls back everything before it.
 */
async function requireQuota(tx: Ctx & InTransaction, project_id: string): Promise<void> {
  const { rows } = await sql<{ max: number | null; active: number }>`
    select (select max_active_event_triggers from projects where id = ${project_id}) as max,
      (select coalesce(sum(active), 0)::int from event_trigger_counts where project_id = ${project_id}) as active
  `.execute(tx.db);
  const max = rows[0]?.max ?? tx.config.max_active_event_triggers;
  if ((rows[0]?.active ?? 0) + NEAR < max) return;
  if ((await lockAndCount(tx, project_id)) < max) return;
  throw new ApiError("event_trigger_quota", `This project may have at most ${max} waiting event triggers.`);
}

async function lockAndCount(tx: Ctx & InTransaction, project_id: string): Promise<number> {
  // A missing row cannot be locked.
  await sql`
    insert into event_trigger_counts (project_id, shard)
    select ${project_id}::uuid, shard from generate_series(0, ${SHARDS - 1}) as shard
    on conflict (project_id, shard) do nothing`.execute(tx.db);
  const { rows } = await sql<{ active: number }>`
    with locked as materialized (
      select active from event_trigger_counts where project_id = ${project_id} order by shard for update
    )
    select coalesce(sum(active), 0)::int as active from locked`.execute(tx.db);
  return rows[0]?.active ?? 0;
}
