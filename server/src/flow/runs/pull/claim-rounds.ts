import { FIRST_LEASE_SECS } from "@millrace/contract/workers/claims";
import type { Ctx } from "../../../platform/context.ts";
import { claimLimited } from "../claim/claim-limited.ts";
import { claimPulledRuns, type PullLane } from "../claim/claim-pulled-runs.ts";
import type { Claim } from "../claim/claim-runs.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import type { WorkerClaim } from "../claim/lease-runs.ts";
import { type ClaimNames, findNow } from "./find-claimed.ts";
import { findCatalog, isKnown, servedQueue } from "./pull-catalog.ts";
import type { QueuedLane, WorkerLanes } from "./worker-lanes.ts";

export type RunsAsked = ClaimNames & { max: number };

/** Limits may refuse all that was chosen while later runs could start. */
const MAX_ROUNDS = 5;
const MAX_LANES = 64;

/** Claims from the lanes that may have runs, until there are `max` or no more. */
export async function claimRounds(ctx: Ctx, state: WorkerLanes, request: RunsAsked): Promise<ClaimedRun[]> {
  const { worker_id, claim_id, max } = request;
  const claimed: ClaimedRun[] = [];
  let isFirst = true;
  for (let round = 0; round < MAX_ROUNDS && claimed.length < max; round++) {
    const lanes = await chooseLanes(ctx, state, request, max - claimed.length);
    if (lanes.length === 0) break;
    const worker = { worker_id, claim_id, lease_secs: FIRST_LEASE_SECS, isFirst, max: max - claimed.length };
    const found = await claimFrom(ctx, state, lanes, worker);
    const picked = found.claimed.length + found.unchecked.length;
    claimed.push(...found.claimed);
    if (found.unchecked.length > 0)
      claimed.push(...(await claimLimited(ctx, found.unchecked, { ...worker, isFirst: claimed.length === 0 })));
    if (isFirst && picked === 0) {
      const elsewhere = await findNow(ctx, request);
      if (elsewhere.length > 0) return elsewhere;
      // Another key may use the names of this claim: the next round does not ask.
      isFirst = false;
    } else if (picked < worker.max) break;
    isFirst &&= claimed.length === 0;
  }
  return claimed;
}

async function claimFrom(
  ctx: Ctx,
  state: WorkerLanes,
  lanes: readonly PullLane[],
  worker: WorkerClaim & { max: number },
): Promise<Claim> {
  const queued = lanes.map(({ host }) => state.lanes.get(host));
  const found = await claiming(state, queued, worker.max, () => claimPulledRuns(ctx, lanes, worker));
  const picked = found.claimed.length + found.unchecked.length;
  if (worker.isFirst && picked === 0) return found; // the claim may have runs from elsewhere
  lanes.forEach(({ host, queue, weight }, index) => {
    const { count = 0, last } = found.seen[index] ?? {};
    state.turns.set(queue, (state.turns.get(queue) ?? 0) + count / weight);
    // A wake-up during the claim has replaced it: it may be for runs that the claim did not see.
    if (state.lanes.get(host) !== queued[index]) return;
    if (picked < worker.max) state.lanes.delete(host);
    else if (last !== undefined) state.lanes.set(host, { bound: last, count: Number.POSITIVE_INFINITY });
  });
  return found;
}

/** Meanwhile the runs of the lanes do not count as queued, if it takes them all. */
async function claiming<T>(
  state: WorkerLanes,
  lanes: readonly (QueuedLane | undefined)[],
  max: number,
  claim: () => Promise<T>,
): Promise<T> {
  const known = lanes.filter((lane) => lane !== undefined);
  if (known.reduce((sum, { count }) => sum + count, 0) <= max) state.claiming = new Set(known);
  try {
    return await claim();
  } finally {
    state.claiming = new Set();
  }
}
/** The lanes that the worker serves, earliest first. */
async function chooseLanes(
  ctx: Ctx,
  state: WorkerLanes,
  { project_id, serves }: RunsAsked,
  wanted: number,
): Promise<PullLane[]> {
  const known = await findCatalog(ctx, project_id);
  const isNew = [...state.lanes.keys()].some((host) => !isKnown(known, host));
  const catalog = isNew ? await findCatalog(ctx, project_id, performance.now()) : known;
  const served = [...state.lanes].flatMap(([host, { bound }]) => {
    const queue = servedQueue(catalog, serves, host);
    return queue === undefined ? [] : [{ host, bound, queue }];
  });
  const first = served.sort((a, b) => (a.bound < b.bound ? -1 : 1)).slice(0, MAX_LANES);
  const turnOf = turnsOf(
    state,
    first.map(({ queue }) => queue),
  );
  return first.map(({ host, bound, queue }) => {
    const weight = catalog.queues.get(queue)?.weight ?? 1;
    return { project_id, host, bound, queue, weight, turn: turnOf(queue), share: wanted };
  });
}

/** A queue that had no runs for a while does not make up for it: it starts at the lowest turn of the others. */
function turnsOf({ turns }: WorkerLanes, queues: string[]): (queue: string) => number {
  const active = queues.flatMap((queue) => turns.get(queue) ?? []);
  const lowest = active.length > 0 ? Math.min(...active) : 0;
  for (const [queue, turn] of turns) if (!queues.includes(queue) && turn <= lowest) turns.delete(queue);
  return (queue) => {
    const turn = turns.get(queue) ?? lowest;
    turns.set(queue, turn);
    return turn - lowest;
  };
}
