import { type RawBuilder, sql } from "kysely";
import { readRunSums } from "../../../flow/budget/run-sums.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { bookDispatches, bookReports, type Entry, entriesOf, newBook } from "./cost-entries.ts";
import { sumReports } from "./costs-reports.ts";

/** A UTC day, as its date. */
export type CostDay = { project_id: string; day: string };

/** Transitions or reports recounted per pass; a day with more is skipped. */
const MAX_TRANSITIONS = 50_000;

/** A dispatch lasts a day at most, so every dispatch that kept this day busy has ended by then. */
const MAX_HOURS = 25;

/**
 * All rows that a day of a project should have, from the history of its runs. Undefined: unknown, because there are too
 * many, or a run was removed since.
 */
export async function recountCostDay(
  tx: Ctx & InTransaction,
  { project_id, day }: CostDay,
): Promise<Entry[] | undefined> {
  const ended = sql`(
    select l.* from run_history l
    where l.project_id = ${project_id} and l.created_at >= ${startOf(day)} and l.created_at < ${endOf(day)}
      and l.from_status = 'running'
  ) l`;
  const used = sql`(
    select l.* from run_usage l
    where l.project_id = ${project_id} and l.created_at >= ${startOf(day)}
      and l.created_at < ${startOf(day)} + interval '1 day'
  ) l`;
  if (!(await isCountable(tx, ended)) || !(await isCountable(tx, used))) return undefined;
  const book = newBook();
  bookDispatches(book, await readRunSums(tx, ended), tx.watch.nowMs());
  bookReports(book, await sumReports(tx, used));
  const from_s = Date.parse(`${day}T00:00:00Z`) / 1_000;
  return entriesOf(book).filter(({ at_s }) => at_s >= from_s && at_s < from_s + 86_400);
}

export function startOf(day: string): RawBuilder<unknown> {
  return sql`(${day}::timestamp at time zone 'UTC')`;
}

/** When every dispatch that kept the day busy has ended. */
export function endOf(day: string): RawBuilder<unknown> {
  return sql`(${startOf(day)} + interval '1 day' + ${MAX_HOURS} * interval '1 hour')`;
}

async function isCountable(tx: Ctx & InTransaction, log: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ count: number; gone: number }>`
    select count(*)::int as count, count(*) filter (where not exists (
      select 1 from runs r where r.project_id = l.project_id and r.id = l.run_id offset 0))::int as gone
    from (select l.project_id, l.run_id from ${log} limit ${MAX_TRANSITIONS + 1}) l`.execute(tx.db);
  return rows[0] !== undefined && rows[0].count <= MAX_TRANSITIONS && rows[0].gone === 0;
}
