import type { Ctx, InTransaction } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { wakeNext } from "../limits/unblock-next.ts";
import { changeRun, refuseEnded } from "./change-run.ts";
import { type Lane, wakeLanes } from "./claim/lanes.ts";
import type { LockedRun, RunKey } from "./lock-runs.ts";
import { leadOf, nextTurn } from "./turns/next-turn.ts";

export type RunChanges = {
  tags?: Record<string, string>;
  metadata?: Record<string, unknown>;
  priority?: number;
  scheduled_at?: string;
};

export type RunUpdate<C extends Ctx> = {
  changes: RunChanges;
  /** Committed together with the change. */
  alongside: (tx: C & InTransaction) => Promise<void>;
};

/**
 * Changes a run that has not started, together with its queue row; writes nothing if nothing changes. False: there is
 * no such run.
 */
export function updateRun<C extends Ctx>(ctx: C, key: RunKey, { changes, alongside }: RunUpdate<C>): Promise<boolean> {
  return changeRun(ctx, key, async (tx, run) => {
    refuseEnded(run);
    refuseStarted(run);
    if (!(await writeChanges(tx, run, changes))) return;
    await changeRank(tx, run, changes);
    await alongside(tx);
  });
}

function refuseStarted({ attempt }: LockedRun): void {
  if (attempt === 0) return;
  throw new ApiError("run_already_started", `The run has started: it is at attempt ${attempt}.`);
}

/** False: it has all these values already. */
async function writeChanges(tx: Ctx & InTransaction, run: LockedRun, changes: RunChanges): Promise<boolean> {
  const settable = sql`tags, metadata, priority, scheduled_at`;
  const wanted = sql`coalesce(${asJson(changes.tags)}::jsonb, tags), coalesce(${asJson(changes.metadata)}::jsonb, metadata),
    coalesce(${changes.priority ?? null}::int, priority),
    coalesce(${changes.scheduled_at ?? null}::timestamptz(3), scheduled_at)`;
  const { rows } = await sql`
    update runs set (${settable}, updated_at) = row(${wanted}, clock())
    where project_id = ${run.project_id} and id = ${run.id} and row(${settable}) is distinct from row(${wanted})
    returning id`.execute(tx.db);
  return rows.length > 0;
}

async function changeRank(tx: Ctx & InTransaction, run: LockedRun, changes: RunChanges): Promise<void> {
  const { priority = run.priority, scheduled_at = run.scheduled_at } = changes;
  if (!run.queued) return;
  if (scheduled_at !== run.scheduled_at) return reschedule(tx, run, { priority, scheduled_at });
  if (priority === run.priority) return;
  // It keeps the time it became due: only the offset by priority changes.
  const later = leadOf(sql`${run.priority - priority}::int`);
  await updateQueued(tx, run, sql`rank_at = rank_at + ${later}, turn_at = turn_at + ${later}`);
}

type Timing = { priority: number; scheduled_at: string };

/** Queued as if it had been triggered with these values. A run blocked on a limit or a pause stays blocked. */
async function reschedule(tx: Ctx & InTransaction, run: LockedRun, { priority, scheduled_at }: Timing): Promise<void> {
  const due_at = sql`greatest(${scheduled_at}::timestamptz, clock())`;
  const takesTurn = sql`r.concurrency_key is not null and ${scheduled_at}::timestamptz <= clock()`;
  const lead = leadOf(sql`${priority}::int`);
  const turn = nextTurn("r", { due_at, lead });
  await updateQueued(
    tx,
    run,
    sql`run_at = ${scheduled_at}::timestamptz, rank_at = ${due_at} - ${lead},
      interleave_at = case when ${takesTurn} then ${turn} end,
      turn_at = case when ${takesTurn} then ${turn} - ${lead} end,
      expires_at = expires_at + (${scheduled_at}::timestamptz - run_at),
      blocked_on = case when starts_with(blocked_on, 'paused_job:') or blocked_on in ('dependency', 'budget') then blocked_on
        when ${scheduled_at}::timestamptz > clock() then 'not_due' end,
      granted_by = null, kept = null`,
  );
  await wakeNext(tx, [run]);
}

async function updateQueued(tx: Ctx & InTransaction, run: LockedRun, columns: Sql): Promise<void> {
  const { rows } = await sql<Lane & { is_blocked: boolean }>`
    update run_queue r set ${columns} where project_id = ${run.project_id} and run_id = ${run.id}
    returning project_id, host, rank_at, blocked_on is not null as is_blocked`.execute(tx.db);
  wakeLanes(
    tx,
    rows.filter((row) => !row.is_blocked),
  );
}

function asJson(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
