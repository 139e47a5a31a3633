import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { reconcileSums } from "./reconcile-sums.ts";
import { RUNS_FOLLOWER } from "./roll-up-runs.ts";
import { MINUTES_KEPT_DAYS } from "./series.ts";
import { setMinutes } from "./set-minutes.ts";
import { COUNTED_MOVES, type Move, tallyMoves, withRuns } from "./take-moves.ts";

/** So many moves are counted anew in one turn; a minute that holds more is judged by its sums alone. */
const MOST = 50_000;
const MINUTE_MS = 60_000;

type Checked = { project_id: string; minute: string };

/**
 * The net below the roll-ups: counts one minute of one project anew from the log, and puts right what differs, up to
 * the day it belongs to; then asks whether the hours of that day are the sum of their minutes, and the day of its hours.
 * Each turn another minute, drawn by lot. Every difference is counted, and there should be none.
 */
export async function reconcileRollups(ctx: Ctx, checked?: Checked): Promise<boolean> {
  const chosen = checked ?? (await drawMinute(ctx));
  if (!chosen) return false;
  const repaired = await inTransaction(ctx, async (tx) => {
    const after_xid = await lockPlace(tx);
    if (after_xid === undefined) return 0;
    return (await recountMinute(tx, chosen, after_xid)) + (await reconcileSums(tx, chosen));
  });
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

/** While we hold it, the follower stands still: the roll-ups hold what was written up to there, and no more. */
async function lockPlace(tx: Ctx & InTransaction): Promise<string | undefined> {
  const { rows } = await sql<{ after_xid: string }>`
    select after_xid::text as after_xid from log_cursors where follower = ${RUNS_FOLLOWER} for update`.execute(tx.db);
  return rows[0]?.after_xid;
}

async function recountMinute(
  tx: Ctx & InTransaction,
  { project_id, minute }: Checked,
  after_xid: string,
): Promise<number> {
  const to = minutesLater(minute, 1);
  const { rows } = await sql<Move>`
    select l.project_id, l.run_id, l.from_status, l.to_status, l.attempt, l.created_at, null as detail
    from run_transitions l
    where l.project_id = ${project_id} and l.created_at >= ${minute} and l.created_at < ${to}
      and l.xid <= ${after_xid}::xid8 and ${COUNTED_MOVES}
    limit ${MOST + 1}`.execute(tx.db);
  if (rows.length > MOST) return 0;
  const moves = await withRuns(tx, rows);
  // A run was removed since: what it was counted as stays.
  if (moves.length < rows.length) return 0;
  const found = new Map();
  tallyMoves(found, moves);
  return setMinutes(tx, { series: "runs", from: minute, to, found, projects: [project_id] });
}

function minutesLater(time: string, minutes: number): string {
  return new Date(Date.parse(time) + minutes * MINUTE_MS).toISOString();
}
