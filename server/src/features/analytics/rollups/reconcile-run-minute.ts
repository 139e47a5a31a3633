import { type RawBuilder, sql } from "kysely";
import { readRunSums, SUMMED } from "../../../flow/budget/run-sums.ts";
import { ERASED } from "../../../flow/runs/maintain/erase-run.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { recountErrors } from "./count-errors.ts";
import { countRuns } from "./count-runs.ts";
import { setMinutes } from "./set-minutes.ts";
import type { Tallies } from "./tallies.ts";

/** Transitions recounted per pass; of a minute with more, only the sums are checked. */
const MAX_TRANSITIONS = 50_000;

export type CheckedMinute = { project_id: string; from: string; to: string };

/**
 * With the cursor of the transitions locked, recounts a minute of a project's runs and their failures, and repairs
 * differences. Returns the number of rows that differed.
 */
export async function reconcileRunMinute(tx: Ctx & InTransaction, checked: CheckedMinute): Promise<number> {
  const { project_id, from, to } = checked;
  const log = sql`(
    select l.* from run_history l
    where l.project_id = ${project_id} and l.created_at >= ${from}::timestamptz and l.created_at < ${to}::timestamptz
  ) l`;
  const { areKept, areWhole } = await readCompleteness(tx, log);
  const minute = { from, to, projects: [project_id] };
  if (!areKept) return 0;
  const moves: Tallies = new Map();
  await countRuns(moves, await readRunSums(tx, log), tx.watch.nowMs());
  const repaired = await setMinutes(tx, { ...minute, series: "runs", found: moves });
  if (!areWhole) return repaired;
  const failures: Tallies = new Map();
  await recountErrors(tx, failures, log);
  return repaired + (await setMinutes(tx, { ...minute, series: "errors", found: failures }));
}

/**
 * Skips a minute with too many transitions or with a removed run, and skips failures if a message was erased: their
 * counts stay as they are.
 */
async function readCompleteness(tx: Ctx & InTransaction, log: RawBuilder<unknown>) {
  const { rows } = await sql<{ moves: number; gone: number; erased: number }>`
    select count(*)::int as moves, count(*) filter (where not exists (
        select 1 from runs r where r.project_id = l.project_id and r.id = l.run_id offset 0))::int as gone,
      count(*) filter (where l.detail -> 'error' ->> 'message' = ${ERASED})::int as erased
    from (
      select l.project_id, l.run_id, l.detail from ${log} where ${SUMMED} limit ${MAX_TRANSITIONS + 1}
    ) l`.execute(tx.db);
  const { moves = 0, gone = 0, erased = 0 } = rows[0] ?? {};
  return { areKept: moves <= MAX_TRANSITIONS && gone === 0, areWhole: erased === 0 };
}
