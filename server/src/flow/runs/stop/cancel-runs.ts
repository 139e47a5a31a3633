import type { Actor } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { enqueueOutbox } from "../../../platform/outbox/enqueue-outbox.ts";
import { wakeSkipped } from "../../limits/wake-skipped.ts";
import { hasOtherWaits, type LockedWait, lockWaits } from "../../waits/cancel-waits.ts";
import { type LockedRun, lockRuns, type RunKey } from "../lock-runs.ts";
import { hasEnded, type RunCause, type RunStatus } from "../states.ts";
import { cancelLocked } from "./cancel-locked.ts";
import { collectTrees, findUnfinished } from "./collect-trees.ts";

type CancelReason = {
  cause: RunCause;
  /** Stored in the error of each run. Null: the error names who canceled it. */
  reason: string | null;
  by: Actor;
};

export type CancelRequest<C extends Ctx> = RunKey &
  CancelReason & {
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

/**
 * Cancels a run and all its descendants. Up to 500 are canceled in one transaction; more in pages, the run itself in
 * the first, so that it spawns no more. Idempotent: a second call finishes what a crash interrupted.
 */
export async function cancelRun<C extends Ctx>(ctx: C, request: CancelRequest<C>): Promise<CancelOutcome> {
  const { run_id, trigger_id, alongside, ...why } = request;
  const whole = { ...why, run_ids: [run_id] };
  const chosen = async (_: Ctx, waits: readonly LockedWait[]) =>
    new Set(waits.some((wait) => wait.trigger_id === trigger_id) ? [run_id] : []);
  const first = await cancelRuns(ctx, async (tx, cancel) => {
    const page = await cancel(trigger_id === undefined ? whole : { ...whole, chosen });
    const status = page.before.get(run_id);
    if (status !== undefined && page.canceled.has(run_id)) await alongside?.(tx, { status });
    return page;
  });
  const canceled = first.canceled.has(run_id);
  let children = first.canceled.size - (canceled ? 1 : 0);
  for (let { isComplete } = first; !isComplete; ) {
    const page = await cancelRuns(ctx, (_tx, cancel) => cancel(whole));
    children += page.canceled.size;
    isComplete = page.isComplete;
  }
  return { canceled, status: first.before.get(run_id), children };
}

export type ManyToCancel<C extends Ctx> = Omit<CancelReason, "cause"> & {
  project_id: string;
  run_ids: readonly string[];
  cause?: RunCause;
  /** Called once they are locked: selects the runs still to be canceled. Absent: all. */
  chosen?: (tx: C & InTransaction, waits: readonly LockedWait[]) => Promise<ReadonlySet<string>>;
};

export type ManyCanceled = {
  canceled: ReadonlySet<string>;
  /** The previous status of each existing run. A run that had ended or was no longer selected is unchanged. */
  before: ReadonlyMap<string, RunStatus>;
};

/** Runs and descendants that are canceled in one transaction. */
const MAX_BATCH = 500;
const MIN_DESCENDANTS = 200;
/** After these retries, a run whose queue row is missing is canceled without one. */
const MAX_ROUNDS = 5;

/**
 * Cancels up to a page of runs in one transaction, with all their descendants; if these are too many, an outbox entry
 * cancels the rest, so that a crash loses nothing. `around` is that transaction: it adds its own writes before and
 * after, and may run again as long as nothing was changed.
 */
export async function cancelRuns<C extends Ctx, T>(
  ctx: C,
  around: (tx: C & InTransaction, cancel: (request: ManyToCancel<C>) => Promise<Page>) => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round++) {
    let kept: LockedRun[] = [];
    const result = await inTransaction(ctx, (tx) => {
      kept = [];
      return around(tx, async (request) => {
        const page = await cancelWithin(tx, request, round === MAX_ROUNDS);
        kept = page.kept;
        return page;
      });
    }).catch(returnOutdated);
    if (result === OUTDATED) continue;
    await wakeSkipped(ctx, kept);
    return result;
  }
}

/** `isComplete`: no descendants are left. `kept`: locked and unchanged. */
type Page = ManyCanceled & { isComplete: boolean; kept: LockedRun[] };

/**
 * A run was queued, began to wait or spawned another while they were locked; locking that row now would violate the
 * lock order.
 */
class OutdatedLocks extends Error {}
const OUTDATED = Symbol("outdated");

function returnOutdated(error: unknown): typeof OUTDATED {
  if (error instanceof OutdatedLocks) return OUTDATED;
  throw error;
}

async function cancelWithin<C extends Ctx>(
  tx: C & InTransaction,
  request: ManyToCancel<C>,
  isLastRound: boolean,
): Promise<Page> {
  const { run_ids, cause = "canceled" } = request;
  const { runs, waits, rootOf } = await lockTrees(tx, request, isLastRound);
  const before = new Map(runs.map(({ id, status }) => [id, status]));
  const chosen = (await request.chosen?.(tx, waits)) ?? new Set(run_ids);
  const roots = run_ids.filter((id) => chosen.has(id) && isCancelable(before.get(id)));
  const requested = new Set(roots);
  const isRequested = ({ id }: LockedRun) => requested.has(id) || requested.has(rootOf.get(id) ?? "");
  const canceled = await cancelLocked(tx, { ...request, cause, roots, rootOf }, runs.filter(isRequested), waits);
  return {
    canceled: new Set(canceled.map((run) => run.run_id)),
    before,
    isComplete: (await deferRemaining(tx, request, roots)) === 0,
    kept: runs.filter((run) => !isRequested(run)),
  };
}

/** The descendants of a run that is canceled already may still be active; those of a run that ended otherwise stay. */
function isCancelable(status: RunStatus | undefined): boolean {
  return status === "canceled" || (status !== undefined && !hasEnded(status));
}

/**
 * The runs and the first of their descendants, in the global lock order: triggers, queue rows, runs. Spawning locks the
 * parent, so once all are locked a second read of the trees is complete.
 */
async function lockTrees(
  tx: Ctx & InTransaction,
  { project_id, run_ids }: { project_id: string; run_ids: readonly string[] },
  isLastRound: boolean,
) {
  const max = Math.max(MIN_DESCENDANTS, MAX_BATCH - run_ids.length);
  const below = await collectTrees(tx, project_id, run_ids, max);
  const rootOf = new Map(below.map(({ id, root }) => [id, root]));
  const ids = [...new Set([...run_ids, ...rootOf.keys()])];
  const waits = await lockWaits(tx, project_id, ids);
  const { runs, isOutdated } = await lockRuns(tx, project_id, ids);
  if (isLastRound) return { runs, waits, rootOf };
  if (isOutdated || (await hasOtherWaits(tx, project_id, runs, waits))) throw new OutdatedLocks();
  const now = below.length < max ? await collectTrees(tx, project_id, run_ids, max) : [];
  if (now.some(({ id }) => !rootOf.has(id))) throw new OutdatedLocks();
  return { runs, waits, rootOf };
}

/** For descendants beyond the page, an outbox entry cancels the tree again. Returns how many trees have any. */
async function deferRemaining<C extends Ctx>(
  tx: C & InTransaction,
  { project_id, reason, by }: ManyToCancel<C>,
  roots: readonly string[],
): Promise<number> {
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
  return left.length;
}
