import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { groupBy } from "../../platform/group-by.ts";
import { type DueRows, hasDue, processDue } from "../runs/maintain/process-due-rows.ts";
import type { TriggerEnd } from "../waits/end-triggers.ts";
import type { WaitKind } from "../waits/event-keys.ts";
import type { TriggerKey } from "../waits/trigger-changes.ts";
import { resolveTriggers } from "./resolve-triggers.ts";

const PAGE = 500;
const TIMERS: DueRows = {
  name: "resolve-due-triggers",
  rows: sql`event_triggers t where t.status = 'waiting'`,
  at: sql`t.expires_at`,
};

/** A wait is due. */
export const HAS_DUE_TRIGGERS = hasDue(TIMERS);

/**
 * The timer of all waits: ends due sleeps, and times out all others. A page of runs and a page of steps at a time, each
 * in lock order and in a few statements; locked rows are left to the next pass.
 */
export async function resolveDueTriggers(ctx: Ctx): Promise<boolean> {
  const moreOfRuns = await processDue(ctx, TIMERS, PAGE, (ofProject, max) =>
    resolvePage(ctx, (tx) => lockDueOfRuns(tx, { ofProject, max })),
  );
  const moreOfSteps = await processDue(ctx, TIMERS, PAGE, (ofProject, max) =>
    resolvePage(ctx, (tx) => lockDueOfSteps(tx, { ofProject, max })),
  );
  return moreOfRuns || moreOfSteps;
}

function resolvePage(ctx: Ctx, lock: (tx: Ctx & InTransaction) => Promise<DueTrigger[]>): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const due = await lock(tx);
    for (const [kind, triggers] of groupBy(due, (trigger) => trigger.wait_kind)) {
      await resolveTriggers(tx, triggers, ENDS[kind as WaitKind]);
    }
    return due.length;
  });
}

/** How a due wait of each kind ends. */
const ENDS: Record<WaitKind, TriggerEnd> = {
  sleep: { status: "received", payload: undefined, sent_by: null },
  event: timeout("No event arrived before the wait timed out."),
  child: timeout("The child run did not end before the wait timed out."),
  approval: timeout("Nobody decided before the approval timed out."),
};

function timeout(message: string): TriggerEnd {
  return { status: "timed_out", error: { code: "event_timeout", message } };
}

type DueTrigger = TriggerKey & { wait_kind: WaitKind };

/** Which triggers: `and …`, or empty for those of all projects. */
type Choice = { ofProject: Sql; max: number };

/** Due triggers of runs, the longest due first, locked before everything that belongs to them. */
export async function lockDueOfRuns(tx: Ctx & InTransaction, { ofProject, max }: Choice): Promise<DueTrigger[]> {
  const { rows } = await sql<DueTrigger>`
    select project_id, id as trigger_id, wait_kind from event_triggers
    where status = 'waiting' and expires_at <= clock() and source_type = 'job_run' ${ofProject}
    order by expires_at limit ${max} for update skip locked`.execute(tx.db);
  return rows;
}

/**
 * Due triggers of steps, whose workflow runs are locked first. A step that is being progressed is handled in the next
 * pass; one whose workflow run is gone has nothing to lock, and must not block the others forever.
 */
export async function lockDueOfSteps(tx: Ctx & InTransaction, { ofProject, max }: Choice): Promise<DueTrigger[]> {
  const { rows } = await sql<DueTrigger>`
    with due as materialized (
      select project_id, id, workflow_run_id, wait_kind from event_triggers
      where status = 'waiting' and expires_at <= clock() and source_type = 'workflow_step' ${ofProject}
      order by expires_at limit ${max}
    ),
    locked as materialized (
      select w.project_id, w.id from (
        select distinct project_id, workflow_run_id from due order by workflow_run_id
      ) d, lateral (
        select w.project_id, w.id from workflow_runs w
        where w.project_id = d.project_id and w.id = d.workflow_run_id for no key update skip locked
      ) w
    )
    select d.project_id, d.id as trigger_id, d.wait_kind from due d
    where exists (select 1 from locked l where l.project_id = d.project_id and l.id = d.workflow_run_id)
      or not exists (
        select 1 from workflow_runs w where w.project_id = d.project_id and w.id = d.workflow_run_id)`.execute(tx.db);
  return rows;
}
