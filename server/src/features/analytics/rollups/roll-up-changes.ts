import { sql } from "kysely";
import type { RunSum } from "../../../flow/budget/run-sums.ts";
import { decisions, type LogRange, runChanges, usage } from "../../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { bookDispatches, bookReports, newBook } from "../costs/cost-entries.ts";
import { sumReports } from "../costs/costs-reports.ts";
import { writeBook } from "../costs/costs-write.ts";
import { addRollups } from "./add-rollups.ts";
import { COUNTED_DECISIONS, countDecisions, type Decision } from "./count-decisions.ts";
import { countErrors } from "./count-errors.ts";
import { countRuns } from "./count-runs.ts";
import type { Tallies } from "./tallies.ts";

/** Adds a range of the changelog to the rollups and to the costs; `sums` are those of its runs. */
export async function rollUpChanges(tx: Ctx & InTransaction, range: LogRange, sums: readonly RunSum[]): Promise<void> {
  const tallies: Tallies = new Map();
  const book = newBook();
  await countRuns(tallies, sums, tx.watch.nowMs());
  bookDispatches(book, sums, tx.watch.nowMs());
  if (sums.some(mayBeFailure)) await countErrors(tx, tallies, runChanges(range));
  if (range.kinds.has("workflow_run")) await countDecisions(tx, tallies, await readDecisions(tx, range));
  if (range.kinds.has("run_usage")) bookReports(book, await sumReports(tx, usage(range)));
  await addRollups(tx, tallies);
  await writeBook(tx, book);
}

function mayBeFailure({ from_status, to_status }: RunSum): boolean {
  return from_status !== null && to_status !== "completed" && to_status !== "canceled";
}

async function readDecisions(tx: Ctx & InTransaction, range: LogRange): Promise<Decision[]> {
  const { rows } = await sql<Decision>`
    /* prepared */
    select l.project_id, l.workflow_run_id, l.ordinal, l.decision_type, l.detail, l.created_at, l.position
    from ${decisions(range)} where ${COUNTED_DECISIONS} order by l.position, l.ordinal`.execute(tx.db);
  return rows;
}
