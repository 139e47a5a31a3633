import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { enqueueOutbox } from "../../../platform/outbox/enqueue-outbox.ts";
import { wakeSkipped } from "../../limits/wake-skipped.ts";
import { hasOtherWaits, lockWaits } from "../../waits/resolve/lock-waits.ts";
import { type LockedRun, lockRuns } from "../lock-runs.ts";
import { hasEnded } from "../refuse-ended.ts";
import type { RunStatus } from "../states.ts";
import { cancelLocked } from "./cancel-locked.ts";
import { collectTrees, findUnfinished } from "./collect-trees.ts";

export type ManyToCancel<C extends Ctx> = {
  project_id: string;
  run_ids: readonly string[];
  /** Stored in the error of each run. Null: the error names who canceled it. */
  reason: string | null;
  by: Actor;
  /** Called once they are locked: selects the runs still to be canceled. Absent: all. */
  chosen?: (tx: C & InTransaction) => Promise<ReadonlySet<string>>;
};

export type ManyCanceled = {
  canceled: ReadonlySet<string>;
  /** The previous status of each existing run. A run that had ended or was no longer selected is unchanged. */
  before: ReadonlyMap<string, RunStatus>;
};

/** Descendants of the runs of one page that are canceled in the same transaction. */
const MAX_DESCENDANTS = 400;
/** After these retries, a run whose queue row is missing is canceled without one. */
const MAX_ROUNDS = 5;

/**
 * Cancels up to a page of runs in one transaction, with all their descendants; if these are too many, an outbox entry
 * cancels the rest, so that a crash loses nothing. `around` is that transaction: it adds its own writes before and
 * after, and may run again as long as nothing was changed.
 */
export async function cancelRuns<C extends Ctx, T>(
  ctx: C,
  around: (tx: C & InTransaction, cancel: (order: ManyToCancel<C>) => Promise<ManyCanceled>) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round++) {
    let page = NOTHING;
    const result = await inTransaction(ctx, (tx) => {
      page = NOTHING;
      return around(tx, async (order) => {
        page = await cancelWithin(tx, order, round === MAX_ROUNDS);
        return page.outcome;
      });
    }).catch(returnOutdated);
    if (result === OUTDATED) continue;
    await wakeSkipped(ctx, page.kept);
    return result;
  }
}

/** `kept`: locked and unchanged. */
type Page = { outcome: ManyCanceled; kept: LockedRun[] };

const NOTHING: Page = { outcome: { canceled: new Set(), before: new Map() }, kept: [] };

/** A run was queued or began to wait while they were locked; locking that row now would violate the lock order. */
class OutdatedLocks extends Error {}
const OUTDATED = Symbol("outdated");

function returnOutdated(error: unknown): typeof OUTDATED {
  if (error instanceof OutdatedLocks) return OUTDATED;
  throw error;
}

async function cancelWithin<C extends Ctx>(
  tx: C & InTransaction,
  order: ManyToCancel<C>,
  isLastRound: boolean,
): Promise<Page> {
  const { project_id, run_ids } = order;
  const below = await collectTrees(tx, project_id, run_ids, MAX_DESCENDANTS);
  const rootOf = new Map(below.map(({ id, root }) => [id, root]));
  const runs = await lockTrees(tx, project_id, [...new Set([...run_ids, ...rootOf.keys()])], isLastRound);
  const before = new Map(runs.locked.map(({ id, status }) => [id, status]));
  const chosen = (await order.chosen?.(tx)) ?? new Set(run_ids);
  const roots = run_ids.filter((id) => chosen.has(id) && isLive(before.get(id)));
  const meant = new Set(roots);
  const isMeant = ({ id }: LockedRun) => meant.has(id) || meant.has(rootOf.get(id) ?? "");
  const canceled = await cancelLocked(
    tx,
    { ...order, cause: "canceled", roots, rootOf },
    runs.locked.filter(isMeant),
    runs.waits,
  );
  await leaveRest(tx, order, roots);
  return {
    outcome: { canceled: new Set(canceled.map((run) => run.run_id)), before },
    kept: runs.locked.filter((run) => !isMeant(run)),
  };
}

const isLive = (status: RunStatus | undefined) => status !== undefined && !hasEnded(status);

/** In the global lock order: triggers, queue rows, runs. */
async function lockTrees(tx: Ctx & InTransaction, project_id: string, run_ids: string[], isLastRound: boolean) {
  const waits = await lockWaits(tx, project_id, run_ids);
  const { runs: locked, isOutdated } = await lockRuns(tx, project_id, run_ids);
  if (!isLastRound && (isOutdated || (await hasOtherWaits(tx, project_id, locked, waits)))) throw new OutdatedLocks();
  return { locked, waits };
}

/**
 * For descendants beyond the page, and those spawned before their parent was locked, an outbox entry cancels the tree
 * again.
 */
async function leaveRest<C extends Ctx>(
  tx: C & InTransaction,
  { project_id, reason, by }: ManyToCancel<C>,
  roots: readonly string[],
): Promise<void> {
  const left = await findUnfinished(tx, project_id, roots);
  const detail = { reason: reason ?? `Canceled by ${by.name}.` };
  await enqueueOutbox(
    tx,
    left.map((root) => ({
      project_id,
      transition_id: `${root}:below`,
      kind: "cancel_run",
      target_id: root,
      detail,
    })),
  );
}
