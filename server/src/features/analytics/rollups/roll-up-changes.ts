import type { RunSum } from "../../../flow/budget/run-sums.ts";
import { decisions, type LogRange, runChanges, usage } from "../../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { Metrics } from "../../../platform/metrics/metrics.ts";
import { addDispatches, addReports, newCosts } from "../costs/cost-entries.ts";
import { sumReports } from "../costs/costs-reports.ts";
import { writeCosts } from "../costs/costs-write.ts";
import { addRollups } from "./add-rollups.ts";
import { COUNTED_DECISIONS, countDecisions, type Decision, oncePerReset } from "./count-decisions.ts";
import { countErrors } from "./count-errors.ts";
import { countRuns } from "./count-runs.ts";
import type { Tallies } from "./tallies.ts";

/** Adds a range of the changelog to the rollups and to the costs; `sums` are those of its runs. */
export async function rollUpChanges(tx: Ctx & InTransaction, range: LogRange, sums: readonly RunSum[]): Promise<void> {
  const tallies: Tallies = new Map();
  const costs = newCosts();
  await countRuns(tallies, sums, tx.watch.nowMs());
  addDispatches(costs, sums, tx.watch.nowMs());
  if (sums.some(mayBeFailure)) await countErrors(tx, tallies, runChanges(range));
  if (range.kinds.has("workflow_run")) {
    const found = await readDecisions(tx, range);
    await countDecisions(tx, tallies, found);
    tx.afterCommit(({ metrics }) => meterDecisions(metrics, found));
  }
  if (range.kinds.has("run_usage")) addReports(costs, await sumReports(tx, usage(range)));
  await addRollups(tx, tallies);
  await writeCosts(tx, costs);
}

function mayBeFailure({ from_status, to_status }: RunSum): boolean {
  return from_status !== null && to_status !== "completed" && to_status !== "canceled";
}

/** A run whose data was erased has no status in its last decision. */
function meterDecisions({ workflowRuns }: Metrics, read: readonly Decision[]): void {
  for (const { ordinal, decision_type, detail } of oncePerReset(read)) {
    if (ordinal === 1) workflowRuns.inc({ event: "started" });
    if (decision_type === "retry") workflowRuns.inc({ event: "retried" });
    if (decision_type === "end") workflowRuns.inc({ event: detail?.status ?? "erased" });
  }
}

async function readDecisions(tx: Ctx & InTransaction, range: LogRange): Promise<Decision[]> {
  const { rows } = await sql<Decision>`
    /* prepared */
    select l.project_id, l.workflow_run_id, l.ordinal, l.decision_type, l.detail, l.created_at, l.position
    from ${decisions(range)} where ${COUNTED_DECISIONS} order by l.position, l.ordinal`.execute(tx.db);
  return rows;
}
