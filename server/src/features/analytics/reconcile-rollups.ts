import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { reconcileSums } from "./reconcile-sums.ts";
import { RUNS_FOLLOWER } from "./roll-up-runs.ts";
import { MINUTES_KEPT_DAYS, type Series } from "./series.ts";
import { setMinutes } from "./set-minutes.ts";
import { COUNTED_MOVES, takeMoves } from "./take-moves.ts";

/** So many moves are counted anew in one turn; a minute that holds more is judged by its sums alone. */
const MOST = 50_000;
const MINUTE_MS = 60_000;

type Checked = { project_id: string; minute: string };

/**
 * The net below the roll-ups: counts one minute of one project anew from the log, and puts right what differs, up to
 * the day it belongs to; then asks of all series whether its hour is the sum of its minutes, and its day that of its hours.
 * Each turn another minute, drawn by lot. Every difference is counted, and there should be none.
 */
export async function reconcileRollups(ctx: Ctx, checked?: Checked): Promise<boolean> {
  const chosen = checked ?? (await drawMinute(ctx));
  if (!chosen) return false;
  let repaired = await hold(ctx, RUNS_FOLLOWER, (tx, after_xid) => recountMinute(tx, chosen, after_xid));
  for (const [series, writer] of WRITERS)
    repaired += await hold(ctx, writer, (tx) => reconcileSums(tx, { ...chosen, series }));
  if (repaired > 0) {
    ctx.metrics.repairs.inc({ kind: "rollup" }, repaired);
    ctx.log.warn({ ...chosen, repaired }, "roll-ups differed from what they are made of, and were put right");
  }
  return false;
}

/** A move of a random minute in the last days tells which, so that busy projects are looked at more often. */
async function drawMinute(ctx: Ctx): Promise<Checked | undefined> {
  const ago_ms = Math.random() * (MINUTES_KEPT_DAYS - 2) * 86_400_000;
  const from = new Date(Math.floor((ctx.watch.nowMs() - ago_ms) / MINUTE_MS) * MINUTE_MS).toISOString();
  const { rows } = await sql<Checked>`
    select t.project_id, date_trunc('minute', t.created_at) as minute from run_transitions t
    where t.project_id is not null and t.created_at >= ${from} and t.created_at < ${minutesLater(from, 10)}
    limit 1`.execute(ctx.db);
  return rows[0];
}

/** Whose place the writer of a series holds. */
const WRITERS: readonly [Series, string][] = [
  ["runs", RUNS_FOLLOWER],
  ["errors", RUNS_FOLLOWER],
  ["workflows", "roll-up-workflows"],
  ["events", "recount-events"],
  ["webhooks", "recount-webhooks"],
];

/** While we hold it, the writer stands still: the roll-ups hold what was written up to there, and no more. */
function hold(
  ctx: Ctx,
  writer: string,
  repair: (tx: Ctx & InTransaction, after_xid: string) => Promise<number>,
): Promise<number> {
  return inTransaction(ctx, async (tx) => {
    const { rows } = await sql<{ after_xid: string }>`
      select after_xid::text as after_xid from log_cursors where follower = ${writer} for update`.execute(tx.db);
    return rows[0] ? repair(tx, rows[0].after_xid) : 0;
  });
}

async function recountMinute(
  tx: Ctx & InTransaction,
  { project_id, minute }: Checked,
  after_xid: string,
): Promise<number> {
  const to = minutesLater(minute, 1);
  const which = sql`l.project_id = ${project_id} and l.created_at >= ${minute}::timestamptz and l.created_at < ${to}::timestamptz
    and l.xid <= ${after_xid}::xid8`;
  if (!(await isCountable(tx, which))) return 0;
  const found = new Map();
  await takeMoves(tx, found, which);
  return setMinutes(tx, { series: "runs", from: minute, to, found, projects: [project_id] });
}

/** Not when there are too many, nor when a run was removed since: what it was counted as stays. */
async function isCountable(tx: Ctx & InTransaction, which: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ moves: number; gone: number }>`
    select count(*)::int as moves, count(*) filter (where not exists (
      select 1 from runs r where r.project_id = l.project_id and r.id = l.run_id offset 0))::int as gone
    from (
      select l.project_id, l.run_id from run_transitions l where ${which} and ${COUNTED_MOVES} limit ${MOST + 1}
    ) l`.execute(tx.db);
  return rows[0] !== undefined && rows[0].moves <= MOST && rows[0].gone === 0;
}

function minutesLater(time: string, minutes: number): string {
  return new Date(Date.parse(time) + minutes * MINUTE_MS).toISOString();
}
