import { FIRST_LEASE_SECS } from "@millrace/contract/workers/claims";
import type { Ctx } from "../../../platform/context.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { isClaimedElsewhere } from "../claim/lease-runs.ts";
import { claimRounds, type RunsAsked } from "./claim-rounds.ts";
import { findClaimed, findNow } from "./find-claimed.ts";
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
const SHARED_LOOKUP_MS = 200;

/** Claims runs for a worker; waits for the first of them if requested. */
export function claimForWorker(ctx: Ctx, request: WorkerRequest): Promise<ClaimedRun[]> {
  return asOnlyClaim(ctx, request, (only, earlier) => claimOrWait(ctx, only, earlier));
}

async function claimOrWait(ctx: Ctx, request: WorkerRequest, earlier: Earlier): Promise<ClaimedRun[]> {
  const { project_id, serves, onClose } = request;
  const endsAt = performance.now() + request.wait_secs * 1_000;
  const pollScope = {
    scope: scopeOf(serves, "all"),
    serves: (host: string) => mayServe(ctx, project_id, serves, host),
    servesJob: (host: string, job: { slug: string; queue: string }) => servesJob(serves, host, job),
  };
  const state = await lanesOf(ctx, project_id);
  if (earlier === "unknown" && mayHaveRuns(state, pollScope)) {
    if (!(await request.isAuthorized())) return putBack(ctx, state, []);
    // The claim itself finds out whether there was an earlier one.
    const runs = await claimNow(ctx, request);
    if (runs.length > 0) return runs;
  }
  const shareMs = earlier === "unknown" ? Math.min(SHARED_LOOKUP_MS, request.wait_secs * 1_000) : 0;
  const { repeated, handed } = await repeatClaim(ctx, state, request, { pollScope, shareMs });
  if (!(await request.isAuthorized())) return putBack(ctx, state, handed);
  // Another poll's look-up may have found what this one is handed: its claim had no runs before.
  if (handed.length > 0) return handed;
  // The runs that it returned before may have ended since.
  if (repeated.length > 0 || earlier === "answered") return repeated;
  for (;;) {
    const runs = mayHaveRuns(state, pollScope) ? await claimNow(ctx, request) : [];
    const remainingMs = endsAt - performance.now();
    if (runs.length > 0 || remainingMs <= 0 || request.isClosed() || ctx.state.draining) return runs;
    const given = await waitForLane(ctx, state, pollScope, { ms: remainingMs, onClose, offer: offerOf(request) });
    if (!(await request.isAuthorized())) return putBack(ctx, state, given);
    if (given.length > 0) return given;
    if (request.isClosed()) return putBack(ctx, state, []);
  }
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

/** Before anything is claimed. A poll that has nothing to claim can wait with it, until a run may have come for it. */
async function repeatClaim(
  ctx: Ctx,
  state: WorkerLanes,
  request: WorkerRequest,
  { pollScope, shareMs }: { pollScope: PollScope; shareMs: number },
): Promise<{ repeated: ClaimedRun[]; handed: ClaimedRun[] }> {
  let waiting: Promise<ClaimedRun[]> = Promise.resolve([]);
  const repeated = await findClaimed(ctx, request, async (found) => {
    const onClose = (fn: () => void) => {
      request.onClose(fn);
      found.then(fn, fn); // else it would receive a wake-up that another poll needs
    };
    if (shareMs > 0) waiting = waitForLane(ctx, state, pollScope, { ms: shareMs, onClose, offer: offerOf(request) });
    // Runs are handed to it only if its claim has none yet.
    return (await waiting).length === 0;
  });
  // It may have been woken for a run that it does not claim.
  if (repeated.length > 0) wakeNextPoll(state);
  return { repeated, handed: await waiting };
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
