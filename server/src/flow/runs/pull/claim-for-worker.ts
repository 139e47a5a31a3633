import { FIRST_LEASE_SECS } from "@millrace/contract/workers/claims";
import type { Ctx } from "../../../platform/context.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { isClaimedElsewhere } from "../claim/lease-runs.ts";
import { claimRounds, type RunsAsked } from "./claim-rounds.ts";
import { findClaimed, findNow, type Lookup } from "./find-claimed.ts";
import { rememberLeases } from "./handed-leases.ts";
import { asOnlyClaim, type Earlier } from "./open-claims.ts";
import { mayServe, scopeOf, servesJob } from "./pull-catalog.ts";
import { settleForWorker } from "./settle-for-worker.ts";
import type { Offer, PollScope } from "./waiting-polls.ts";
import { lanesOf, mayHaveRuns, type WorkerLanes, waitForLane, wakeNextPoll } from "./worker-lanes.ts";

export type WorkerRequest = RunsAsked & {
  wait_secs: number;
  /** Whether the caller is still connected, and what to do when it no longer is: nothing is claimed for it then. */
  isClosed: () => boolean;
  onClose: (fn: () => void) => void;
  /** Asked before it claims: its key may have been revoked while it waited. */
  isAuthorized: () => Promise<boolean>;
};

/** Idle polls that begin within so long share the statement that looks for their earlier runs. */
const SHARED_LOOKUP_MS = 1_000;

/** Claims runs for a worker; waits for the first of them if requested. */
export async function claimForWorker(ctx: Ctx, request: WorkerRequest): Promise<ClaimedRun[]> {
  const runs = await asOnlyClaim(ctx, request, (only, earlier) => claimOrWait(ctx, only, earlier));
  rememberLeases(ctx, runs);
  return runs;
}

async function claimOrWait(ctx: Ctx, request: WorkerRequest, earlier: Earlier): Promise<ClaimedRun[]> {
  const state = await lanesOf(ctx, request.project_id);
  const repeated = earlier === "unknown" ? [] : await findNow(ctx, request);
  if (!(await request.isAuthorized())) return [];
  // The runs that it returned before may have ended since.
  if (repeated.length > 0 || earlier === "answered") return repeated;
  const pollScope = scopeOfPoll(ctx, request);
  // The claim itself finds out whether there was an earlier one.
  const runs = mayHaveRuns(state, pollScope) ? await claimNow(ctx, request) : [];
  return runs.length > 0 ? runs : waitForRuns(ctx, state, request, pollScope);
}

function scopeOfPoll(ctx: Ctx, { project_id, serves }: WorkerRequest): PollScope {
  return {
    scope: scopeOf(serves, "all"),
    serves: (host) => mayServe(ctx, project_id, serves, host),
    servesJob: (host, job) => servesJob(serves, host, job),
  };
}

/** Until there are runs, those of an earlier claim whose response was lost among them. */
async function waitForRuns(
  ctx: Ctx,
  state: WorkerLanes,
  request: WorkerRequest,
  pollScope: PollScope,
): Promise<ClaimedRun[]> {
  const waitMs = request.wait_secs * 1_000;
  const endsAt = performance.now() + waitMs;
  const lookup = findClaimed(ctx, request, Math.min(SHARED_LOOKUP_MS, waitMs));
  const wait = openWait(request, lookup);
  try {
    for (;;) {
      const ms = endsAt - performance.now();
      if (request.isClosed()) return [];
      if (wait.isOver() || ms <= 0 || ctx.state.draining) return await lookup.found;
      const given = await waitForLane(ctx, state, pollScope, { ms, onClose: wait.onClose, offer: offerOf(request) });
      if (!(await request.isAuthorized())) return putBack(ctx, state, given);
      if (given.length > 0) return given;
      const isNeeded = !wait.isOver() && !request.isClosed() && mayHaveRuns(state, pollScope);
      const runs = isNeeded ? await claimNow(ctx, request) : [];
      if (runs.length > 0) return runs;
    }
  } finally {
    lookup.cancel();
    // It may have been woken for a run that it does not claim.
    if (wait.isOver() || request.isClosed()) wakeNextPoll(state);
  }
}

/** What ends a wait early: the caller goes away, or there were runs after all. */
function openWait({ onClose }: WorkerRequest, { found }: Lookup) {
  let isOver = false;
  let stop = () => {};
  const end = () => {
    isOver = true;
    stop();
  };
  onClose(() => stop());
  found.then((runs) => void (runs.length > 0 && end()), end);
  return {
    /** Earlier runs were found, or could not be looked for. */
    isOver: () => isOver,
    onClose: (fn: () => void) => {
      stop = fn;
    },
  };
}

function offerOf({ worker_id, claim_id, max }: WorkerRequest): Offer {
  return { lease: { worker_id, claim_id, lease_secs: FIRST_LEASE_SECS }, max };
}

/** What it was handed although its key has been revoked. It may also have been woken for a run that it does not claim. */
async function putBack(ctx: Ctx, state: WorkerLanes, runs: readonly ClaimedRun[]): Promise<ClaimedRun[]> {
  await Promise.all(runs.map((run) => settleForWorker(ctx, { ...run, outcome: { kind: "drained" } })));
  wakeNextPoll(state);
  return [];
}

/** In sequence for each project: concurrent claims would choose the same runs, and all but one find them locked. */
async function claimNow(ctx: Ctx, request: WorkerRequest): Promise<ClaimedRun[]> {
  const state = await lanesOf(ctx, request.project_id);
  const claim = state.last
    .then(() => (request.isClosed() ? [] : claimRounds(ctx, state, request)))
    .catch((error) => {
      if (isClaimedElsewhere(error)) return findNow(ctx, request);
      throw error;
    });
  state.last = claim.catch(() => {});
  const runs = await claim;
  wakeNextPoll(state);
  return runs;
}
