import type { Ctx, InTransaction } from "../platform/context.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { announceEnded } from "./announce-ended.ts";
import { type CanceledPage, cancelLocked } from "./cancel-locked.ts";
import { collectTree } from "./collect-tree.ts";
import { countTransitions } from "./count-transitions.ts";
import { wakeLanes } from "./lanes.ts";
import { letGo } from "./let-go.ts";
import { lockRuns, type RunKey } from "./lock-runs.ts";
import { hasEnded } from "./refuse-ended.ts";
import type { RunCause, RunStatus } from "./states.ts";

export type CancelOrder<C extends Ctx> = RunKey & {
  cause: RunCause;
  /** Told in the run's error. Null: who canceled it. */
  reason: string | null;
  by: string;
  /** Written with the cancellation of the run itself, or not at all. */
  alongside?: (tx: C & InTransaction, before: { status: RunStatus }) => Promise<void>;
};

export type CancelOutcome = {
  canceled: boolean;
  /** What the run was before. Undefined: there is no such run. */
  status: RunStatus | undefined;
  /** How many runs below it were canceled with it. */
  children: number;
};

const PAGE = 500;
const MOST_ROUNDS = 5;

/**
 * Cancels a run and all that hang below it. Up to 500 go in one transaction; more in pages, the run itself in the
 * first, so that it spawns no more. Asked again, it finishes what a crash cut short.
 */
export async function cancelRun<C extends Ctx>(ctx: C, order: CancelOrder<C>): Promise<CancelOutcome> {
  const root = await cancelRoot(ctx, order);
  if (root.status === undefined || (!root.canceled && root.status !== "canceled")) return root;
  let { children } = root;
  for (let below = await collectTree(ctx, order); below.length > 0; below = await collectTree(ctx, order)) {
    for (let at = 0; at < below.length; at += PAGE) {
      children += await cancelPage(ctx, order, below.slice(at, at + PAGE));
    }
  }
  return { ...root, children };
}

/** The run and the first page of what hangs below it. */
async function cancelRoot<C extends Ctx>(ctx: C, order: CancelOrder<C>): Promise<CancelOutcome> {
  for (let round = 1; ; round++) {
    const below = (await collectTree(ctx, order)).slice(0, PAGE - 1);
    const page = await inTransaction(ctx, async (tx) => {
      const { runs, isOutrun } = await lockRuns(tx, order.project_id, [order.run_id, ...below]);
      const root = runs.find((run) => run.id === order.run_id);
      if (!root || hasEnded(root.status)) return { status: root?.status, canceled: [], lanes: [], kept: runs };
      const isWhole = !isOutrun && (below.length === PAGE - 1 || !(await hasGrown(tx, order, below)));
      if (!isWhole && round < MOST_ROUNDS) return "again";
      const canceled = await cancelLocked(tx, order, runs);
      await order.alongside?.(tx, root);
      return { status: root.status, ...canceled, kept: [] };
    });
    if (page === "again") continue;
    tell(ctx, order, page);
    await letGo(ctx, page.kept);
    const isCanceled = page.canceled.length > 0;
    return { canceled: isCanceled, status: page.status, children: isCanceled ? page.canceled.length - 1 : 0 };
  }
}

async function hasGrown(tx: Ctx & InTransaction, order: RunKey, known: string[]): Promise<boolean> {
  const now = await collectTree(tx, order);
  return now.some((id) => !known.includes(id));
}

async function cancelPage<C extends Ctx>(ctx: C, order: CancelOrder<C>, run_ids: string[]): Promise<number> {
  const page = await inTransaction(ctx, async (tx) => {
    const { runs, isOutrun } = await lockRuns(tx, order.project_id, run_ids);
    // Those that came into the queue meanwhile are still there when the tree is read again.
    return cancelLocked(tx, order, isOutrun ? runs.filter((run) => run.queued !== null) : runs);
  });
  tell(ctx, order, page);
  return page.canceled.length;
}

function tell(ctx: Ctx, { project_id, run_id }: RunKey, { canceled, lanes }: CanceledPage): void {
  countTransitions(
    ctx,
    canceled.map(({ prev_status }) => ({ from_status: prev_status, to_status: "canceled" })),
  );
  announceEnded(
    ctx,
    canceled.map(({ id }) => ({ project_id, run_id: id })),
  );
  wakeLanes(ctx, lanes);
  ctx.metrics.bulkChildCancellations.inc(canceled.filter(({ id }) => id !== run_id).length);
}
