import { claimLimited } from "../flow/runs/claim/claim-limited.ts";
import { claimRuns } from "../flow/runs/claim/claim-runs.ts";
import type { ClaimedRun } from "../flow/runs/claim/claimed-run.ts";
import { type CountedLane, findLanes } from "../flow/runs/claim/lanes.ts";
import { LEASE_SECS } from "../flow/runs/claim/lease-runs.ts";
import { isPullLane } from "../flow/runs/claim/pull-lanes.ts";
import { renewLeases } from "../flow/runs/claim/renew-leases.ts";
import type { Starter } from "../flow/runs/create/start-locally.ts";
import { blockLane, type HostKey } from "../flow/runs/dispatch/circuits.ts";
import { dispatchRun } from "../flow/runs/dispatch/dispatch-run.ts";
import type { LeasedRun, Outcome } from "../flow/runs/dispatch/outcome.ts";
import type { Ctx } from "../platform/context.ts";
import { type AbortHandle, abortRequest, newAbortHandle } from "../platform/outgoing/abort-handle.ts";
import { perService } from "../platform/service-state.ts";
import { openWorkerPool, type Remaining } from "../platform/worker-pool/worker-pool.ts";
import { openHostSlots } from "./host-slots.ts";
import { openHostWatch } from "./host-watch.ts";
import { type LaneRotation, openLaneRotation, type TakenLane } from "./lane-rotation.ts";
import { openPace } from "./pace.ts";
import { openHostProber } from "./probe-hosts.ts";
import { openSettler } from "./settler.ts";

/** Claims, dispatches and settles runs for one instance. One per service. */
export const dispatcherOf = perService(openDispatcher);

/**
 * A claimed run. `leasedAt`: when this instance last held the lease for certain, in `performance.now()` milliseconds.
 */
type HeldRun = { run: ClaimedRun; abortHandle: AbortHandle; isProbe: boolean; isLost: boolean; leasedAt: number };

const LANES_PER_POLL = 256;

function openDispatcher(ctx: Ctx) {
  const slots = ctx.config.dispatch_concurrency;
  const rotation: LaneRotation = openLaneRotation();
  /** By run id, its newest attempt here. `pool.held` has all of them, also those that a newer one has replaced. */
  const held = new Map<string, HeldRun>();
  const hosts = openHostWatch(ctx);
  const prober = openHostProber(ctx, claimProbes);
  const hostSlots = openHostSlots(slots, (host) => rotation.hasOther(host));
  const settler = openSettler(ctx, isHeld);
  const pace = openPace();
  /** Slots for runs that a trigger is creating. */
  let reserved = 0;
  /** The lanes of the claim in progress. */
  let taken: TakenLane[] = [];
  let lastSeen: { project_id: string; host: string } | undefined;

  const pool = openWorkerPool<HeldRun, Outcome>(ctx, {
    name: "runs",
    slots,
    load: ctx.metrics.pool,
    claim: claimNext,
    send: (heldRun) =>
      heldRun.abortHandle.isAborted || isOutdated(heldRun)
        ? DRAINED
        : dispatchRun(ctx, heldRun.run, heldRun.abortHandle),
    freesSlot: "when_sent",
    freed: ({ run: { host } }) => {
      pace.count();
      hostSlots.countEnd(host);
      hostSlots.leave(host, 1);
    },
    settle: ({ run, isProbe }, outcome) => {
      recordMetrics(ctx, run, outcome);
      hosts.record(run, outcome, isProbe);
      return settler.settle(run, outcome);
    },
    // A newer attempt of the same run may have replaced it meanwhile.
    ended: (heldRun) => {
      if (held.get(heldRun.run.run_id) === heldRun) held.delete(heldRun.run.run_id);
    },
  });

  /** Called when runs became claimable in a lane. */
  function wake(lane: CountedLane): void {
    // Workers claim the others.
    if (isPullLane(lane.host)) return;
    rotation.add(lane);
    pool.wake();
  }

  function claimNext(): Remaining | Promise<Remaining> {
    if (rotation.isEmpty()) return "nothing";
    const { active, queued } = pool.load;
    const ahead = Math.min(slots, pace.perWindow());
    // Enough claimed runs wait for a slot already: more would only wait in this process instead of in the shared queue.
    if (queued > ahead / 2) return "more_later";
    const room = slots + ahead - active - queued - reserved;
    if (room <= 0) return "more_later";
    taken = rotation.take(room, hostSlots.room);
    // Every host is at its limit.
    return taken.length === 0 ? "more_later" : claim(taken);
  }

  async function claim(all: TakenLane[]): Promise<Remaining> {
    const done = ctx.metrics.dequeueDuration.startTimer();
    try {
      for (const lane of all.filter(hosts.isCircuitOpen)) await blockLane(ctx, lane);
      const lanes = all.filter((lane) => !hosts.isCircuitOpen(lane));
      if (lanes.length > 0) await claimFrom(lanes);
    } catch (error) {
      // The periodic scan finds the lanes again.
      ctx.log.debug({ reason: (error as Error).message }, "runs could not be claimed; the next poll retries");
    } finally {
      done();
      taken = [];
    }
    return rotation.isEmpty() ? "nothing" : "more";
  }

  async function claimFrom(lanes: TakenLane[]): Promise<void> {
    const { claimed, unchecked, seen } = await claimRuns(ctx, lanes);
    rotation.putBack(lanes, seen);
    for (const run of claimed) take(run, false);
    if (unchecked.length > 0) for (const run of await claimLimited(ctx, unchecked)) take(run, false);
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
      if (pool.isStopped() || pool.load.queued > 0 || hosts.isCircuitOpen(lane)) return 0;
      const free = slots - pool.load.active - reserved - expected();
      const ofHost = hostSlots.room(lane.host) - rotation.waitingFor(lane.host) - expected(lane.host);
      const count = Math.max(0, Math.min(wanted, free, ofHost));
      reserved += count;
      hostSlots.enter(lane.host, count);
      return count;
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
    const heldRun = { run, isProbe, abortHandle: newAbortHandle(), isLost: false, leasedAt: performance.now() };
    held.set(run.run_id, heldRun);
    hostSlots.enter(run.host, 1);
    pool.take(heldRun);
  }

  function isHeld({ run_id, lease_token }: LeasedRun): boolean {
    const heldRun = held.get(run_id);
    return heldRun !== undefined && !heldRun.isLost && heldRun.run.lease_token === lease_token;
  }

  /** The periodic scan for lanes, one page per call. True: there may be more. */
  async function poll(): Promise<boolean> {
    const lanes = await findLanes(ctx, lastSeen, LANES_PER_POLL);
    lastSeen = lanes.length === LANES_PER_POLL ? lanes.at(-1) : undefined;
    for (const lane of lanes) if (!isPullLane(lane.host)) rotation.add(lane);
    pool.wake();
    return lastSeen !== undefined;
  }

  async function claimProbes({ project_id, host }: HostKey, count: number): Promise<void> {
    const { claimed, unchecked } = await claimRuns(ctx, [{ project_id, host, share: count, bound: "-infinity" }]);
    for (const run of [...claimed, ...(await claimLimited(ctx, unchecked))]) take(run, true);
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
    for (const heldRun of renewed) {
      if (lost.has(heldRun.run.run_id)) abort(heldRun);
      else heldRun.leasedAt = renewedAt;
    }
  }

  /**
   * Aborts the request of a run that has ended or that another instance has claimed. Fencing rejects a late response.
   */
  function abortRun(run_id: string): void {
    const heldRun = held.get(run_id);
    if (heldRun) abort(heldRun);
  }

  function abort(heldRun: HeldRun): void {
    heldRun.isLost = true;
    abortRequest(heldRun.abortHandle);
  }

  return {
    starter,
    wake,
    poll,
    probe: prober.probe,
    readCircuits: hosts.refresh,
    hasUnhealthyHosts: hosts.hasUnhealthyHosts,
    hasUnwrittenResponses: hosts.hasUnwrittenResponses,
    writeFirstResponses: hosts.writeFirstResponses,
    renew,
    abortRun,
    drain: pool.drain,
    idle: async () => {
      await prober.idle();
      await pool.idle();
    },
  };
}

const DRAINED: Outcome = { kind: "drained" };

/** This process was stalled for longer than a lease: a newer attempt may be in progress, and must win. */
function isOutdated({ leasedAt }: HeldRun): boolean {
  return performance.now() - leasedAt > LEASE_SECS * 1_000;
}

function recordMetrics(ctx: Ctx, run: ClaimedRun, outcome: Outcome): void {
  ctx.metrics.observeDispatch(run.job_id, outcome.kind, (outcome.duration_ms ?? 0) / 1_000);
}
