import { sql } from "kysely";
import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { wakeSkipped } from "../../limits/wake-skipped.ts";
import { hasOtherWaits, lockWaits } from "../../waits/resolve/lock-waits.ts";
import { type LockedRun, lockRuns, type RunKey } from "../lock-runs.ts";
import { hasEnded, LIVE_STATUSES } from "../refuse-ended.ts";
import type { RunCause, RunStatus } from "../states.ts";
import { cancelLocked } from "./cancel-locked.ts";

export type CancelOrder<C extends Ctx> = RunKey & {
  cause: RunCause;
  /** Stored in the run's error. Null: the error names who canceled it. */
  reason: string | null;
  by: Actor;
  /** Only while it waits on this trigger. */
  trigger_id?: string;
  /** Committed together with the cancellation of the run itself. */
  alongside?: (tx: C & InTransaction, before: { status: RunStatus }) => Promise<void>;
};

export type CancelOutcome = {
  canceled: boolean;
  /** The run's previous status. Undefined: there is no such run. */
  status: RunStatus | undefined;
  /** How many of its descendants were canceled with it. */
  children: number;
};

const PAGE = 500;
const MAX_ROUNDS = 5;

/**
 * Cancels a run and all its descendants. Up to 500 are canceled in one transaction; more in pages, the run itself in
 * the first, so that it spawns no more. Idempotent: a second call finishes what a crash interrupted.
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

/** The run and the first page of its descendants. */
async function cancelRoot<C extends Ctx>(ctx: C, order: CancelOrder<C>): Promise<CancelOutcome> {
  for (let round = 1; ; round++) {
    const below = (await collectTree(ctx, order)).slice(0, PAGE - 1);
    const page = await inTransaction(ctx, async (tx) => {
      const { runs, waits, isOutdated } = await lockTree(tx, order, [order.run_id, ...below]);
      const root = runs.find((run) => run.id === order.run_id);
      const hasWait = order.trigger_id === undefined || waits.some((wait) => wait.trigger_id === order.trigger_id);
      if (!root || hasEnded(root.status) || !hasWait) return { status: root?.status, canceled: [], kept: runs };
      const isWhole = !isOutdated && (below.length === PAGE - 1 || !(await hasGrown(tx, order, below)));
      if (!isWhole && round < MAX_ROUNDS) return "again";
      const canceled = await cancelLocked(tx, { ...order, roots: [order.run_id] }, runs, waits);
      await order.alongside?.(tx, root);
      return { status: root.status, canceled, kept: [] };
    });
    if (page === "again") continue;
    await wakeSkipped(ctx, page.kept);
    const isCanceled = page.canceled.length > 0;
    return { canceled: isCanceled, status: page.status, children: isCanceled ? page.canceled.length - 1 : 0 };
  }
}

/** In the global lock order: triggers, queue rows, runs. */
async function lockTree(tx: Ctx & InTransaction, { project_id }: RunKey, run_ids: string[]) {
  const waits = await lockWaits(tx, project_id, run_ids);
  const { runs, isOutdated } = await lockRuns(tx, project_id, run_ids);
  return { runs, waits, isOutdated: isOutdated || (await hasOtherWaits(tx, project_id, runs, waits)) };
}

async function hasGrown(tx: Ctx & InTransaction, order: RunKey, known: string[]): Promise<boolean> {
  const now = await collectTree(tx, order);
  return now.some((id) => !known.includes(id));
}

async function cancelPage<C extends Ctx>(ctx: C, order: CancelOrder<C>, run_ids: string[]): Promise<number> {
  const canceled = await inTransaction(ctx, async (tx) => {
    const { runs, waits, isOutdated } = await lockTree(tx, order, run_ids);
    // Runs that were queued or began to wait meanwhile are found when the tree is read again.
    const isSure = ({ id, queued }: LockedRun) => queued !== null || waits.some((wait) => wait.run_id === id);
    return cancelLocked(tx, { ...order, roots: [order.run_id] }, isOutdated ? runs.filter(isSure) : runs, waits);
  });
  return canceled.length;
}

/** Runs spawn at most 32 levels deep. */
const DEEPEST = 64;

/**
 * The descendants of a run that have not ended, parents before children. Reads without a lock: spawning locks the
 * parent, so once all of them are locked a second read is complete. An ended run may have active children.
 */
async function collectTree(ctx: Ctx, { project_id, run_id }: RunKey): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive tree as (
      select ${run_id}::uuid as id, '' as status, 0 as depth
      union all
      select r.id, r.status, tree.depth + 1 from tree
      join runs r on r.project_id = ${project_id} and r.parent_run_id = tree.id
      where tree.depth < ${DEEPEST}
    )
    select id from tree where status = any(${LIVE_STATUSES}::text[]) order by depth, id`.execute(ctx.db);
  return rows.map((row) => row.id);
}
