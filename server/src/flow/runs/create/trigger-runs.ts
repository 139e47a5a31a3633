import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import {
  overBudget,
  previewBudget,
  reserveBudget,
  type WhenFull,
  writeReservations,
} from "../../budget/reserve-budget.ts";
import { isClaimedElsewhere } from "../claim/lease-runs.ts";
import { isPullLane } from "../claim/pull-lanes.ts";
import { enqueueLinked, linkDependencies } from "../dependencies/link-dependencies.ts";
import {
  claimIdempotencyKeys,
  findRepeated,
  redirectIdempotencyKeys,
  releaseIdempotencyKeys,
} from "./claim-idempotency-keys.ts";
import { enqueueRuns } from "./enqueue-runs.ts";
import { enqueueWithSlots } from "./enqueue-with-slots.ts";
import type { Enqueued, NewRun, OverBudget, TriggerResult, TriggerResults } from "./new-run.ts";
import { newSlotsOf } from "./new-slots.ts";
import { chooseStarts, releaseStarts, startCreated } from "./start-locally.ts";
import { debounceRuns, findDuplicates, previewWindows } from "./trigger-windows.ts";

/** Triggers many runs in one commit and returns a result for each. Plain ones take a single statement. */
export async function triggerRuns(ctx: Ctx, newRuns: readonly NewRun[]): Promise<TriggerResult[]> {
  if (newRuns.every(needsNoChecks)) return enqueueAndStart(ctx, newRuns);
  return inTransaction(ctx, (tx) => triggerWithin(tx, newRuns));
}

async function enqueueAndStart(ctx: Ctx, newRuns: readonly NewRun[]): Promise<TriggerResult[]> {
  const starts = chooseStarts(ctx, newRuns);
  if (starts.worker)
    starts.worker.first_id = newRuns.find(({ id, host }) => starts.ids.has(id) && isPullLane(host))?.id ?? null;
  const needed = newSlotsOf(newRuns, starts);
  const enqueuing =
    needed.length === 0 ? enqueueRuns(ctx, newRuns, starts) : enqueueWithSlots(ctx, newRuns, starts, needed);
  const enqueued = await enqueuing.catch((error) => {
    releaseStarts(ctx, newRuns, starts);
    if (isClaimedElsewhere(error)) return undefined;
    throw error;
  });
  if (enqueued) startCreated(ctx, newRuns, starts, enqueued);
  const created = enqueued ?? (await enqueueRuns(ctx, newRuns));
  return newRuns.map((run) => createdOrStale(run, created));
}

/**
 * The same in the caller's transaction. Runs that were not requested manually wait for room in the budget; the others
 * are refused.
 */
export async function triggerWithin(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  whenFull: WhenFull = "refuse",
): Promise<TriggerResult[]> {
  const results: TriggerResults = new Map();
  const enqueued = newRuns.every(needsNoChecks)
    ? await enqueueRuns(tx, newRuns)
    : await admitAndEnqueue(tx, newRuns, results, whenFull);
  return newRuns.map((run) => results.get(run) ?? createdOrStale(run, enqueued));
}

/** Neither an existing run, a budget nor a dependency can decide its result. */
function needsNoChecks(run: NewRun): boolean {
  const hasNoKey = run.idempotency_key === null && run.dedup_hash === null && run.debounce_key === null;
  return hasNoKey && !run.is_budgeted && !run.waits_on;
}

function createdOrStale(run: NewRun, enqueued: Enqueued): TriggerResult {
  const created = enqueued.get(run.id);
  return created ? { kind: "created", run, created } : { kind: "stale" };
}

/** Each check decides the result of some triggers; the remaining ones create runs. */
async function admitAndEnqueue(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  results: TriggerResults,
  whenFull: WhenFull,
): Promise<Enqueued> {
  const left = () => newRuns.filter((run) => !results.has(run));
  await claimIdempotencyKeys(tx, left(), results);
  const keyed = left().filter((run) => run.idempotency_key !== null);
  await findDuplicates(tx, left(), results);
  await debounceRuns(tx, left(), results);
  const { enqueued, refused } = await createRuns(tx, left(), whenFull);
  for (const [run, over] of refused) results.set(run, over);
  resolveExisting(newRuns, enqueued, results);
  await redirectIdempotencyKeys(tx, keyed, results);
  await releaseIdempotencyKeys(
    tx,
    keyed.filter((run) => ["stale", "over_budget"].includes(results.get(run)?.kind ?? "")),
  );
  return enqueued;
}

type Created = { enqueued: Enqueued; refused: Map<NewRun, OverBudget> };

/** Creates runs with their dependencies, as far as the budget has room. Looks for no existing ones. */
async function createRuns(tx: Ctx & InTransaction, newRuns: readonly NewRun[], whenFull: WhenFull): Promise<Created> {
  const links = await linkDependencies(tx, newRuns);
  const refused = await reserveBudget(tx, newRuns, whenFull);
  const admitted = newRuns.filter((run) => !refused.has(run));
  const enqueued = await enqueueLinked(tx, admitted, links);
  await writeReservations(tx, admitted, enqueued);
  return { enqueued, refused };
}

/** Runs with their dependencies, within the budget: all or an error. Never returns existing runs in their place. */
export async function createEach(
  tx: Ctx & InTransaction,
  newRuns: readonly NewRun[],
  whenFull: WhenFull,
): Promise<Enqueued> {
  const { enqueued, refused } = await createRuns(tx, newRuns, whenFull);
  for (const over of refused.values()) throw overBudget(over);
  return enqueued;
}

/** A trigger may return another run of this batch that was itself replaced by a third, or not created: follows it. */
function resolveExisting(newRuns: readonly NewRun[], enqueued: Enqueued, results: TriggerResults): void {
  const byId = new Map(newRuns.map((run) => [run.id, run]));
  for (const run of newRuns) {
    let result = results.get(run) ?? createdOrStale(run, enqueued);
    for (;;) {
      const other = result.kind === "existing" ? byId.get(result.run_id) : undefined;
      if (!other || enqueued.has(other.id)) break;
      result = results.get(other) ?? { kind: "stale" };
    }
    results.set(run, result);
  }
}

export type Preview = Exclude<TriggerResult, { kind: "created" | "stale" }>;

/**
 * What `triggerRuns` would return for a run now, checked in the same order, without locks or changes. Undefined: it
 * would be created.
 */
export async function previewTrigger(ctx: Ctx, run: NewRun): Promise<Preview | undefined> {
  return (
    (await findRepeated(ctx, run)) ?? (await previewWindows(ctx, run)) ?? (await previewBudget(ctx, [run])).get(run)
  );
}
