import { FIRST_LEASE_SECS } from "@millrace/contract/workers/claims";
import type { Ctx } from "../../../platform/context.ts";
import { claimLimited } from "../claim/claim-limited.ts";
import { type ClaimedRun, claimForWorker, type PullLane } from "../claim/claim-runs.ts";
import { findClaimed } from "./find-claimed.ts";
import { asOnlyClaim, type Earlier } from "./open-claims.ts";
import { findCatalog, isKnown, mayServe, type Serves, scopeOf, servedQueue } from "./pull-catalog.ts";
import { lanesOf, type PollScope, type WorkerLanes, waitForLane, wakeNextPoll } from "./worker-lanes.ts";

export type WorkerRequest = {
  project_id: string;
  worker_id: string;
  claim_id: string;
  serves: Serves;
  max: number;
  wait_secs: number;
  /** Whether the caller is still connected, and what to do when it no longer is: nothing is claimed for it then. */
  isClosed: () => boolean;
  onClose: (fn: () => void) => void;
  /** Asked before it claims: its key may have been revoked while it waited. */
  isAuthorized: () => Promise<boolean>;
};

/** Idle polls that begin within so long share the statement that looks for their earlier runs. */
const SHARED_LOOKUP_MS = 200;

/** Claims runs for a worker; waits for the first of them if requested. */
export function claimRunsOfWorker(ctx: Ctx, request: WorkerRequest): Promise<ClaimedRun[]> {
  return asOnlyClaim(ctx, request, (only, earlier) => claimOrWait(ctx, only, earlier));
}

async function claimOrWait(ctx: Ctx, request: WorkerRequest, earlier: Earlier): Promise<ClaimedRun[]> {
  const { project_id, serves, onClose } = request;
  const endsAt = performance.now() + request.wait_secs * 1_000;
  const pollScope = {
    scope: scopeOf(serves, "all"),
    serves: (host: string) => mayServe(ctx, project_id, serves, host),
  };
  const state = await lanesOf(ctx, project_id);
  const shareMs = earlier === "unknown" ? Math.min(SHARED_LOOKUP_MS, request.wait_secs * 1_000) : 0;
  const repeated = await repeatClaim(ctx, state, request, { pollScope, shareMs });
  if (!(await request.isAuthorized())) return passOn(state);
  // The runs that it returned before may have ended since.
  if (repeated.length > 0 || earlier === "answered") return repeated;
  for (let hasWaited = earlier === "open"; ; hasWaited = true) {
    const runs = await claimNow(ctx, request, hasWaited);
    const remainingMs = endsAt - performance.now();
    if (runs.length > 0 || remainingMs <= 0 || request.isClosed() || ctx.state.draining) return runs;
    await waitForLane(ctx, state, pollScope, { ms: remainingMs, onClose });
    if (request.isClosed() || !(await request.isAuthorized())) return passOn(state);
  }
}

/** It may have been woken for a run that it does not claim. */
function passOn(state: WorkerLanes): ClaimedRun[] {
  wakeNextPoll(state);
  return [];
}

/** Before anything is claimed. A poll that has nothing to claim can wait with it, until a run may have come for it. */
async function repeatClaim(
  ctx: Ctx,
  state: WorkerLanes,
  request: WorkerRequest,
  { pollScope, shareMs }: { pollScope: PollScope; shareMs: number },
): Promise<ClaimedRun[]> {
  const { onClose } = request;
  const runs = await findClaimed(ctx, request, (found) => {
    const onEnd = (fn: () => void) => {
      onClose(fn);
      found.then(fn, fn); // else it would receive a wake-up that another poll needs
    };
    return shareMs === 0 ? Promise.resolve() : waitForLane(ctx, state, pollScope, { ms: shareMs, onClose: onEnd });
  });
  // It may have been woken for a run that it does not claim.
  if (runs.length > 0) wakeNextPoll(state);
  return runs;
}

/** In sequence for each project: concurrent claims would choose the same runs, and all but one find them locked. */
async function claimNow(ctx: Ctx, request: WorkerRequest, hasWaited: boolean): Promise<ClaimedRun[]> {
  const state = await lanesOf(ctx, request.project_id);
  const claim = state.last.then(() => (request.isClosed() ? [] : claimRounds(ctx, state, request, hasWaited)));
  state.last = claim.catch(() => {});
  const runs = await claim;
  wakeNextPoll(state);
  return runs;
}

/** Limits may refuse all that was chosen while later runs could start. */
const MAX_ROUNDS = 5;
const MAX_LANES = 64;

async function claimRounds(
  ctx: Ctx,
  state: WorkerLanes,
  request: WorkerRequest,
  hasWaited: boolean,
): Promise<ClaimedRun[]> {
  const { worker_id, claim_id, max } = request;
  const claimed: ClaimedRun[] = [];
  for (let round = 0; round < MAX_ROUNDS && claimed.length < max; round++) {
    const lanes = await chooseLanes(ctx, state, request, max - claimed.length);
    if (lanes.length === 0) break;
    const isFirst = hasWaited && round === 0;
    const worker = { worker_id, claim_id, lease_secs: FIRST_LEASE_SECS, max: max - claimed.length, isFirst };
    const bounds = lanes.map(({ host }) => state.lanes.get(host));
    const found = await claimForWorker(ctx, lanes, worker);
    const picked = found.claimed.length + found.unchecked.length;
    const elsewhere = isFirst && picked === 0 ? await findClaimed(ctx, request, () => Promise.resolve()) : [];
    if (elsewhere.length > 0) return elsewhere;
    lanes.forEach(({ host, queue, weight }, index) => {
      const { count = 0, last } = found.seen[index] ?? {};
      state.turns.set(queue, (state.turns.get(queue) ?? 0) + count / weight);
      // A wake-up during the claim has replaced it: it may be for runs that the claim did not see.
      if (state.lanes.get(host) !== bounds[index]) return;
      if (picked < worker.max) state.lanes.delete(host);
      else if (last !== undefined) state.lanes.set(host, { bound: last });
    });
    claimed.push(...found.claimed);
    if (found.unchecked.length > 0) claimed.push(...(await claimLimited(ctx, found.unchecked, worker)));
    if (picked < worker.max) break;
  }
  return claimed;
}

/** The lanes that the worker serves, earliest first. */
async function chooseLanes(
  ctx: Ctx,
  state: WorkerLanes,
  { project_id, serves }: WorkerRequest,
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
