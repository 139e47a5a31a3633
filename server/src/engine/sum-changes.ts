import { meterRuns } from "../features/analytics/rollups/meter-runs.ts";
import { rollUpChanges } from "../features/analytics/rollups/roll-up-changes.ts";
import { indexRuns } from "../features/runs/search/index-runs.ts";
import { admitBlocked } from "../flow/budget/admit-blocked.ts";
import { recordRunCosts } from "../flow/budget/record-run-costs.ts";
import type { RunSum } from "../flow/budget/run-sums.ts";
import { settleBudgets } from "../flow/budget/settle-budgets.ts";
import { consumeChanges, SUMS_CONSUMER } from "../platform/changelog/consume-changes.ts";
import { hasNewChanges } from "../platform/changelog/has-new-changes.ts";
import type { LogRange } from "../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../platform/context.ts";
import { perService } from "../platform/service-state.ts";
import type { Task } from "../platform/task.ts";

/**
 * Changes per pass, which takes a few tenths of a second. Most runs cause three changes, and under load there is a pass
 * each second, so this keeps up with six thousand runs a second.
 */
const MAX_CHANGES = 18_000;
const EVERY_MS = 1_000;
/**
 * Sums are rows per job and minute, hour and day, and a pass writes those of all jobs that had a run. With a thousand jobs
 * a pass takes a second or more, and few of them had two runs: after a long pass it waits for more, but not for more than
 * half of what fits into the next one.
 */
const REST = 4;
const MAX_REST_MS = 10_000;

/** When the last pass ended, and how many changes it counted for each millisecond since the one before it. */
const paceOf = perService(() => ({ endedAt: Number.NEGATIVE_INFINITY, countedPerMs: 0 }));

export const sumTasks: Task[] = [
  {
    name: SUMS_CONSUMER,
    everyMs: EVERY_MS,
    pauseMs: (ctx, tookMs) =>
      Math.max(EVERY_MS, Math.min(REST * tookMs, MAX_REST_MS, MAX_CHANGES / 2 / paceOf(ctx).countedPerMs)),
    oneInstance: true,
    consumesLog: true,
    hasWork: hasNewChanges(SUMS_CONSUMER),
    runOnce: sumChanges,
  },
];

/**
 * Everything that is counted, from one reading of the changelog: usage and budgets, rollups and costs, the search index.
 * The cursor is committed with the sums, so each change is counted exactly once. Returns true if there is more.
 */
export async function sumChanges(ctx: Ctx): Promise<boolean> {
  let summed: Summed = { blocking: [], sums: [] };
  const hasMore = await consumeChanges(ctx, {
    ...{ name: SUMS_CONSUMER, yieldsToRuns: true, max: MAX_CHANGES },
    take: async (tx, range) => {
      summed = await sum(tx, range);
    },
  });
  notePace(ctx, summed.sums);
  // First: if an admission fails, reconciliation repeats it, but nobody would observe these runs again.
  await meterRuns(ctx, summed.sums);
  for (const project_id of summed.blocking) await admitBlocked(ctx, project_id);
  return hasMore;
}

function notePace(ctx: Ctx, sums: readonly RunSum[]): void {
  const pace = paceOf(ctx);
  const nowMs = performance.now();
  const passedMs = Math.max(1, nowMs - pace.endedAt); // none may have passed
  pace.countedPerMs = sums.reduce((all, { count }) => all + Number(count), 0) / passedMs;
  pace.endedAt = nowMs;
}

/** `blocking`: the projects whose budgets may have room. */
type Summed = { blocking: string[]; sums: readonly RunSum[] };

/** Budgets come last: transactions that reserve wait for their locks. */
async function sum(tx: Ctx & InTransaction, range: LogRange): Promise<Summed> {
  const hasRuns = range.kinds.has("run");
  const { sums, projects } = hasRuns ? await recordRunCosts(tx, range) : { sums: [], projects: [] };
  await rollUpChanges(tx, range, sums);
  if (hasRuns) await indexRuns(tx, range);
  return { blocking: await settleBudgets(tx, projects, range), sums };
}
