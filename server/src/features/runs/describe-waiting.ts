import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { groupBy } from "../../platform/group-by.ts";
import { describeRuns } from "./search/describe-runs.ts";

/** Newer runs may continue soon; there are few of them, and a search starts with them anyway. */
const MIN_WAIT_MS = 600_000;
const PAGE = 256;

/** Ids start with their creation time in milliseconds. */
const WAITS_LONG = sql`u.run_id < rpad(lpad(to_hex((extract(epoch from clock()) * 1000)::bigint - ${sql.lit(MIN_WAIT_MS)}), 12, '0'), 32, '0')::uuid`;

/** A run has been waiting or paused for a while, and its terms are not recorded. */
export const HAS_UNDESCRIBED_RUNS = sql`exists (
  select u.project_id from unindexed_runs u
  where u.terms is null and u.ended_status is null and u.living_status in ('waiting', 'paused') and ${WAITS_LONG})`;

type Waiting = { project_id: string; run_id: string };
type DescribedRun = Waiting & { terms: number[] };

/**
 * Records the terms of runs that have been waiting or paused for a while. Their data does not change meanwhile except
 * for tags, which are therefore left out. The index task clears the terms once a run's status changes.
 */
export async function describeWaiting(ctx: Ctx): Promise<boolean> {
  return inTransaction(ctx, async (tx) => {
    const waiting = await takeUndescribed(tx);
    const described: DescribedRun[] = [];
    for (const [project_id, group] of groupBy(waiting, (each) => each.project_id)) {
      described.push(...(await describeAll(tx, project_id, group)));
    }
    if (described.length > 0) await noteTerms(tx, described);
    return waiting.length === PAGE;
  });
}

async function takeUndescribed(tx: Ctx & InTransaction): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select u.project_id, u.run_id from unindexed_runs u
    where u.terms is null and u.ended_status is null and u.living_status in ('waiting', 'paused')
      and ${WAITS_LONG}
    order by u.run_id limit ${PAGE} for update skip locked`.execute(tx.db);
  return rows;
}

async function describeAll(tx: Ctx & InTransaction, project_id: string, waiting: Waiting[]): Promise<DescribedRun[]> {
  const ids = waiting.map(({ run_id }) => run_id);
  const described = await describeRuns(tx, project_id, ids, null);
  const terms = new Map(described.map((each) => [each.run_id, each.terms]));
  return ids.map((run_id) => ({ project_id, run_id, terms: terms.get(run_id) ?? [] }));
}

async function noteTerms(tx: Ctx & InTransaction, described: DescribedRun[]): Promise<void> {
  await sql`
    update unindexed_runs u set terms = t.terms
    from json_to_recordset(${JSON.stringify(described)}::json) as t(project_id uuid, run_id uuid, terms int[])
    where u.project_id = t.project_id and u.run_id = t.run_id`.execute(tx.db);
}
