import { type RawBuilder, sql } from "kysely";
import { ERASED } from "../../flow/erase-run.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { setMinutes } from "./set-minutes.ts";
import { recountErrors } from "./take-errors.ts";
import { COUNTED_MOVES, takeMoves } from "./take-moves.ts";
import type { Tallies } from "./tallies.ts";

/** So many moves are counted anew in one turn; a minute that holds more is judged by its sums alone. */
const MOST = 50_000;

/** What was written in it up to the transaction that its follower has come to. */
export type CheckedMinute = { project_id: string; from: string; to: string; after_xid: string };

/**
 * Under the place of who follows the moves: counts a minute of the runs of a project and of their failures anew, and puts
 * right what differs. Answers how many rows did.
 */
export async function reconcileRunMinute(tx: Ctx & InTransaction, checked: CheckedMinute): Promise<number> {
  const { project_id, from, to, after_xid } = checked;
  const which = sql`l.project_id = ${project_id} and l.created_at >= ${from}::timestamptz and l.created_at < ${to}::timestamptz
    and l.xid <= ${after_xid}::xid8`;
  const { areKept, areWhole } = await lookAt(tx, which);
  const minute = { from, to, projects: [project_id] };
  if (!areKept) return 0;
  const moves: Tallies = new Map();
  await takeMoves(tx, moves, which);
  const repaired = await setMinutes(tx, { ...minute, series: "runs", found: moves });
  if (!areWhole) return repaired;
  const failures: Tallies = new Map();
  await recountErrors(tx, failures, which);
  return repaired + (await setMinutes(tx, { ...minute, series: "errors", found: failures }));
}

/**
 * Not when there are too many, nor when a run was removed since, and no failures when one was emptied of what it said: what
 * they were counted as stays.
 */
async function lookAt(tx: Ctx & InTransaction, which: RawBuilder<unknown>) {
  const { rows } = await sql<{ moves: number; gone: number; erased: number }>`
    select count(*)::int as moves, count(*) filter (where not exists (
        select 1 from runs r where r.project_id = l.project_id and r.id = l.run_id offset 0))::int as gone,
      count(*) filter (where l.detail -> 'error' ->> 'message' = ${ERASED})::int as erased
    from (
      select l.project_id, l.run_id, l.detail from run_transitions l where ${which} and ${COUNTED_MOVES} limit ${MOST + 1}
    ) l`.execute(tx.db);
  const { moves = 0, gone = 0, erased = 0 } = rows[0] ?? {};
  return { areKept: moves <= MOST && gone === 0, areWhole: erased === 0 };
}
