import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { collectForCommit } from "../../platform/database/after-commit.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { groupBy } from "../../platform/group-by.ts";
import { commonLimits } from "./job-limits.ts";
import { unblockNext } from "./unblock-next.ts";

type Leaving = {
  project_id: string;
  queued: {
    job_id: string;
    concurrency_key: string | null;
    granted_by: string | null;
    kept: string[] | null;
    limits: string[] | null;
  } | null;
};

/**
 * Runs that leave the queue before they were claimed release their grants. Other runs may have been blocked behind them
 * under every limit they were about to request: the next waiter of each is woken; a surplus one is only blocked again.
 * Holds the locks of the limits, as decisions do: a run that is blocked behind one of these is either seen here, or
 * decided after they have left.
 */
export async function wakeNext(tx: Ctx & InTransaction, runs: readonly Leaving[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { queued } of runs) {
    if (!queued?.granted_by) continue;
    const { granted_by, kept, limits } = queued;
    for (const key of new Set([granted_by, ...(kept ?? []), ...(limits ?? []), ...commonLimits(queued)]))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [first] = runs;
  if (!first || counts.size === 0) return;
  await lockLimits(tx, first.project_id, [...counts.keys()]);
  await unblockNext(tx, first.project_id, counts);
}

/**
 * The same after the caller's commit: for a caller that locks runs afterwards. Not awaited: if it fails, the
 * reconciliation of the queue wakes them.
 */
export const wakeNextSoon = collectForCommit<Leaving>((ctx, runs) => {
  for (const some of groupBy(runs, (run) => run.project_id).values())
    void inTransaction(ctx, (tx) => wakeNext(tx, some)).catch(() => {});
});

async function lockLimits(tx: Ctx & InTransaction, project_id: string, keys: string[]): Promise<void> {
  await sql`
    select 1 from concurrency_counters where project_id = ${project_id} and key = any(${keys}::text[])
    order by key for update`.execute(tx.db);
  await sql`
    select 1 from rate_windows where project_id = ${project_id} and key = any(${keys}::text[])
    order by key for update`.execute(tx.db);
}
