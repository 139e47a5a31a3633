import { FIRST_LEASE_SECS } from "@millrace/contract/workers/claims";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { claimLimited } from "../claim/claim-limited.ts";
import { type ClaimedRun, claimedColumns, claimForWorker, type PullLane } from "../claim/claim-runs.ts";
import { findCatalog, isKnown, mayServe, type Serves, servedQueue } from "./pull-catalog.ts";
import { lanesOf, type WorkerLanes, waitForLane, wakeNextPoll } from "./worker-lanes.ts";

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
};

/** Claims runs for a worker; waits for the first of them if requested. */
export async function claimRunsOfWorker(ctx: Ctx, request: WorkerRequest): Promise<ClaimedRun[]> {
  const repeated = await findClaimed(ctx, request);
  if (repeated.length > 0) return repeated;
  const endsAt = performance.now() + request.wait_secs * 1_000;
  for (;;) {
    const { runs, state } = await claimNow(ctx, request);
    const remainingMs = endsAt - performance.now();
    if (runs.length > 0 || remainingMs <= 0 || request.isClosed() || ctx.state.draining) return runs;
    const { project_id, serves, onClose } = request;
    const isServed = (host: string) => mayServe(ctx, project_id, serves, host);
    await waitForLane(ctx, state, isServed, { ms: remainingMs, onClose });
    if (request.isClosed()) return [];
  }
}

/** In sequence for each project: concurrent claims would choose the same runs, and all but one find them locked. */
async function claimNow(ctx: Ctx, request: WorkerRequest) {
  const state = await lanesOf(ctx, request.project_id);
  const claim = state.last.then(() => (request.isClosed() ? [] : claimRounds(ctx, state, request)));
  state.last = claim.catch(() => {});
  const runs = await claim;
  wakeNextPoll(state);
  return { runs, state };
}

/** Limits may refuse all that was chosen while later runs could start. */
const MAX_ROUNDS = 5;
const MAX_LANES = 64;

async function claimRounds(ctx: Ctx, state: WorkerLanes, request: WorkerRequest): Promise<ClaimedRun[]> {
  const { worker_id, claim_id, max } = request;
  const claimed: ClaimedRun[] = [];
  for (let round = 0; round < MAX_ROUNDS && claimed.length < max; round++) {
    const lanes = await chooseLanes(ctx, state, request, max - claimed.length);
    if (lanes.length === 0) break;
    const worker = { worker_id, claim_id, lease_secs: FIRST_LEASE_SECS, max: max - claimed.length };
    const bounds = lanes.map(({ host }) => state.lanes.get(host));
    const found = await claimForWorker(ctx, lanes, worker);
    const picked = found.claimed.length + found.unchecked.length;
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

/**
 * The runs that the same request has claimed before: its response was lost. Names of workers are not secret, so a key of
 * another environment or for other queues gets none of them. The job may have moved to another queue than it asks for.
 */
async function findClaimed(ctx: Ctx, request: WorkerRequest): Promise<ClaimedRun[]> {
  const { project_id, worker_id, claim_id, serves } = request;
  const environments = serves.environments ? [...serves.environments] : null;
  const { rows } = await sql<ClaimedRun>`
    /* prepared */
    select q.project_id, q.run_id, r.job_id, j.slug as job_slug, q.host, q.deadline, q.lease_token, q.slots, ${claimedColumns("r")}
    from run_queue q
    join runs r on r.project_id = q.project_id and r.id = q.run_id and r.status = 'running'
    join jobs j on j.project_id = q.project_id and j.id = q.job_id
    where q.project_id = ${project_id} and q.worker_id = ${worker_id} and q.worker_id is not null
      and q.claim_id = ${claim_id}::uuid and q.lease_until is not null
      and (${environments}::uuid[] is null or r.environment_id = any(${environments}::uuid[]))
      and (${serves.keyQueues}::text[] is null or j.queue = any(${serves.keyQueues}::text[]))
    order by q.rank_at, q.run_id`.execute(ctx.db);
  return rows;
}
