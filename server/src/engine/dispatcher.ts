import { claimLimited } from "../flow/runs/claim/claim-limited.ts";
import { type ClaimedRun, claimRuns, LEASE_SECS } from "../flow/runs/claim/claim-runs.ts";
import { type CountedLane, findLanes } from "../flow/runs/claim/lanes.ts";
import { renewLeases } from "../flow/runs/claim/renew-leases.ts";
import type { Starter } from "../flow/runs/create/start-here.ts";
import { blockLane, takeProbes } from "../flow/runs/dispatch/circuits.ts";
import { dispatchRun } from "../flow/runs/dispatch/dispatch-run.ts";
import type { LeasedRun, Outcome } from "../flow/runs/dispatch/outcome.ts";
import type { Ctx } from "../platform/context.ts";
import { type AbortHandle, abortRequest, newAbortHandle } from "../platform/outgoing/abort-handle.ts";
import { perService } from "../platform/service-state.ts";
import { openWhenIdle } from "../platform/when-idle.ts";
import { openHostSlots } from "./host-slots.ts";
import { openHostWatch } from "./host-watch.ts";
import { type LaneRotation, openLaneRotation, type TakenLane } from "./lane-rotation.ts";
import { openPace } from "./pace.ts";
import { openSettler } from "./settler.ts";

/** Claims, dispatches and settles runs for one instance. One per service. */
export const dispatcherOf = perService(openDispatcher);

/**
 * A claimed run. `leasedAt`: when this instance last knew that it held the lease, in `performance.now()` milliseconds.
 */
type Held = { run: ClaimedRun; abortHandle: AbortHandle; isProbe: boolean; isLost: boolean; leasedAt: number };

const LANES_PER_POLL = 256;

function openDispatcher(ctx: Ctx) {
  const slots = ctx.config.dispatch_concurrency;
  const rotation: LaneRotation = openLaneRotation();
  const held = new Map<string, Held>();
  const waiting: Held[] = [];
  const hosts = openHostWatch(ctx);
  const hostSlots = openHostSlots(slots, (host) => rotation.hasOther(host));
  const settler = openSettler(ctx, isHeld);
  const pace = openPace();
  let active = 0;
  let reserved = 0;
  let claiming: Promise<void> | undefined;
  /** The lanes of the claim in progress. */
  let taken: TakenLane[] = [];
  let isStopped = false;
  /** No run is held, and none is known to be claimable. */
  const idle = openWhenIdle(() => held.size === 0 && !claiming && (isStopped || rotation.isEmpty()));
  let lastSeen: { project_id: string; host: string } | undefined;

  /** Called when runs became claimable in a lane. */
  function wake(lane: CountedLane): void {
    rotation.add(lane);
    claimMore();
  }

  function claimMore(): void {
    if (isStopped || claiming || rotation.isEmpty()) return;
    const ahead = Math.min(slots, pace.perWindow());
    // Enough claimed runs wait for a slot already: more would only wait in this process instead of in the shared queue.
    if (waiting.length > ahead / 2) return;
    const room = slots + ahead - active - waiting.length - reserved;
    if (room <= 0) return;
    taken = rotation.take(room, hostSlots.room);
    // Every host is at its limit: the next dispatch that ends claims again.
    if (taken.length === 0) return;
    claiming = claim(taken).finally(() => {
      claiming = undefined;
      taken = [];
      claimMore();
      idle.check();
    });
  }

  async function claim(all: TakenLane[]): Promise<void> {
    const done = ctx.metrics.dequeueDuration.startTimer();
    try {
      for (const lane of all.filter(hosts.isCircuitOpen)) await blockLane(ctx, lane);
      const lanes = all.filter((lane) => !hosts.isCircuitOpen(lane));
      if (lanes.length === 0) return;
      const { claimed, unchecked, seen } = await claimRuns(ctx, lanes);
      rotation.note(lanes, seen);
      for (const run of claimed) take(run, false);
      if (unchecked.length > 0) for (const run of await claimLimited(ctx, unchecked)) take(run, false);
    } catch (error) {
      // The periodic scan finds the lanes again.
      ctx.log.debug({ reason: (error as Error).message }, "runs could not be claimed; the next poll retries");
    } finally {
      done();
    }
  }

  /** How many runs the claim in progress may return, for one host or for all. */
  function expected(host?: string): number {
    let sum = 0;
    for (const lane of taken) if (!host || lane.host === host) sum += Math.min(lane.expected, lane.share);
    return sum;
  }

  /**
   * For runs triggered on this instance: they start at once if there are slots for them and for all runs known to be
   * queued before them. A claim in progress does not make them queue: claiming them would then make the next ones
   * queue, and no run would ever start at once again.
   */
  const starter: Starter = {
    reserve: (lane, wanted) => {
      if (isStopped || waiting.length > 0 || hosts.isCircuitOpen(lane)) return 0;
      const free = slots - active - reserved - expected();
      const ofHost = hostSlots.room(lane.host) - rotation.waitingFor(lane.host) - expected(lane.host);
      const kept = Math.max(0, Math.min(wanted, free, ofHost));
      reserved += kept;
      hostSlots.enter(lane.host, kept);
      return kept;
    },
    release: (host, count) => {
      reserved -= count;
      hostSlots.leave(host, count);
    },
    start: (runs) => {
      for (const run of runs) {
        starter.release(run.host, 1);
        take(run, false);
      }
    },
  };

  function take(run: ClaimedRun, isProbe: boolean): void {
    // An earlier attempt that is still connected: the run was requeued meanwhile, and its response is ignored.
    abortRun(run.run_id);
    const mine = { run, isProbe, abortHandle: newAbortHandle(), isLost: false, leasedAt: performance.now() };
    held.set(run.run_id, mine);
    hostSlots.enter(run.host, 1);
    waiting.push(mine);
    startWaiting();
  }

  function startWaiting(): void {
    while (active < slots && waiting.length > 0) {
      const next = waiting.shift();
      if (next) void dispatch(next);
    }
    ctx.metrics.pool.active = active;
    ctx.metrics.pool.queued = waiting.length;
  }

  async function dispatch(mine: Held): Promise<void> {
    active++;
    const outcome =
      mine.abortHandle.isAborted || isOutdated(mine) ? DRAINED : await dispatchRun(ctx, mine.run, mine.abortHandle);
    active--;
    pace.count();
    hostSlots.countEnd(mine.run.host);
    hostSlots.leave(mine.run.host, 1);
    startWaiting();
    claimMore();
    recordMetrics(ctx, mine.run, outcome);
    hosts.record(mine.run, outcome, mine.isProbe);
    await settler.settle(mine.run, outcome);
    // A newer attempt of the same run may have replaced it meanwhile.
    if (held.get(mine.run.run_id) === mine) held.delete(mine.run.run_id);
    idle.check();
  }

  function isHeld({ run_id, lease_token }: LeasedRun): boolean {
    const mine = held.get(run_id);
    return mine !== undefined && !mine.isLost && mine.run.lease_token === lease_token;
  }

  /** The periodic scan for lanes, one page per call. True: there may be more. */
  async function poll(): Promise<boolean> {
    const lanes = await findLanes(ctx, lastSeen, LANES_PER_POLL);
    lastSeen = lanes.length === LANES_PER_POLL ? lanes.at(-1) : undefined;
    for (const lane of lanes) rotation.add(lane);
    claimMore();
    return lastSeen !== undefined;
  }

  async function probe(): Promise<void> {
    for (const { project_id, host } of await takeProbes(ctx)) {
      const { claimed, unchecked } = await claimRuns(ctx, [{ project_id, host, share: 1, bound: "-infinity" }]);
      for (const run of [...claimed, ...(await claimLimited(ctx, unchecked))]) take(run, true);
    }
  }

  async function renew(): Promise<void> {
    const renewed = [...held.values()];
    const renewedAt = performance.now();
    const lost = new Set(
      await renewLeases(
        ctx,
        renewed.map(({ run }) => run),
      ),
    );
    // Compared by attempt, not by run id: this instance may hold a newer attempt of the same run by now.
    for (const mine of renewed) {
      if (lost.has(mine.run.run_id)) abort(mine);
      else mine.leasedAt = renewedAt;
    }
  }

  /**
   * Aborts the request of a run that has ended or that another instance has claimed. Fencing rejects a late response.
   */
  function abortRun(run_id: string): void {
    const mine = held.get(run_id);
    if (mine) abort(mine);
  }

  function abort(mine: Held): void {
    mine.isLost = true;
    abortRequest(mine.abortHandle);
  }

  /** Stops claiming, waits up to `graceMs` for dispatches in progress, then aborts the rest, which are requeued at once. */
  async function drain(graceMs: number): Promise<void> {
    isStopped = true;
    await claiming;
    for (const { abortHandle } of waiting) abortRequest(abortHandle);
    const abortTimer = setTimeout(() => {
      for (const { abortHandle } of held.values()) abortRequest(abortHandle);
    }, graceMs);
    startWaiting();
    await idle.wait();
    clearTimeout(abortTimer);
  }

  return { starter, wake, poll, probe, readCircuits: hosts.refresh, renew, abortRun, idle: idle.wait, drain };
}

const DRAINED: Outcome = { kind: "drained" };

/** This process was stalled for longer than a lease: a newer attempt may be in progress, and must win. */
function isOutdated({ leasedAt }: Held): boolean {
  return performance.now() - leasedAt > LEASE_SECS * 1_000;
}

function recordMetrics(ctx: Ctx, run: ClaimedRun, outcome: Outcome): void {
  ctx.metrics.observeDispatch(run.job_id, outcome.kind, (outcome.duration_ms ?? 0) / 1_000);
}
