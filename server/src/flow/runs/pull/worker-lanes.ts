import type { Ctx } from "../../../platform/context.ts";
import { perService } from "../../../platform/service-state.ts";
import { LANES_TOPIC, type Lane, readLane } from "../claim/lanes.ts";
import { findPullLanes, isPullLane, PULL_HOST } from "../claim/pull-lanes.ts";
import { findCatalog } from "./pull-catalog.ts";

/** A long poll that waits for runs. */
type Waiter = { since: number; wake: () => void };

/** Long polls that may claim from the same lanes, the one that has waited longest first. */
type Waiters = { serves: (host: string) => boolean; polls: Set<Waiter> };

/** The claims of workers in one project on this instance. */
export type WorkerLanes = {
  /** Lanes that may have claimable runs, from a position on. A new object for every wake-up. */
  lanes: Map<string, { bound: string }>;
  /** How much of its share each queue has had: a queue that returns starts where the others are. */
  turns: Map<string, number>;
  /** By scope: a wake-up asks once for all polls of a scope whether they serve a lane. */
  waiters: Map<string, Waiters>;
  /** Counts the polls that have begun to wait. */
  begun: number;
  /** One claim at a time: concurrent ones would choose the same runs. */
  last: Promise<unknown>;
  scannedAt: number;
  /** Where the next search continues: it finds a limited number of lanes. */
  scanAfter: string;
};

const SCAN_EVERY_MS = 1_000;
const MAX_LANES = 256;
/** After a wake-up for many runs, this many polls claim at once; each one that leaves runs behind wakes the next. */
const MAX_WOKEN = 4;

const hubOf = perService((ctx: Ctx) => openHub(ctx));

/** Subscribed to wake-ups of lanes from the first claim on. While nothing happens, it costs a statement per second. */
function openHub(ctx: Ctx) {
  const projects = new Map<string, WorkerLanes>();
  let isPlanned = false;

  ctx.wakeup.onWake(LANES_TOPIC, (detail) => {
    const lane = readLane(detail);
    // A failed search is repeated within a second.
    if (lane === undefined) scan([...projects.keys()]).catch(() => {});
    else if (isPullLane(lane.host)) add(lane, lane.count ?? 1);
  });

  function of(project_id: string): WorkerLanes {
    const lanes = projects.get(project_id) ?? newLanes();
    projects.set(project_id, lanes);
    return lanes;
  }

  function add({ project_id, host, rank_at }: Lane, count: number): void {
    const state = projects.get(project_id);
    if (!state) return;
    const { bound = rank_at } = state.lanes.get(host) ?? {};
    state.lanes.set(host, { bound: bound < rank_at ? bound : rank_at });
    wakeFor(state, host, Math.min(count, MAX_WOKEN));
  }

  async function scan(project_ids: string[]): Promise<void> {
    if (project_ids.length === 0) return;
    const scannedAt = performance.now();
    const from = project_ids.map((project_id) => ({ project_id, after: of(project_id).scanAfter }));
    const lanes = await findPullLanes(ctx, from, MAX_LANES);
    // A queue may have been resumed, or a job moved, since the polls began to wait.
    for (const project_id of new Set(lanes.map((lane) => lane.project_id))) await findCatalog(ctx, project_id);
    for (const lane of lanes) add(lane, 1);
    for (const project_id of project_ids) {
      Object.assign(of(project_id), { scannedAt, scanAfter: nextScan(lanes, project_id) });
    }
  }

  /** For lost wake-ups, and for polls of an instance that is stopping: they respond. */
  function scanSoon(): void {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      const waiting = [...projects].filter(([, { waiters }]) => waiters.size > 0);
      const { draining } = ctx.state;
      if (draining) for (const [, state] of waiting) wakeAll(state);
      // A failed search is repeated by the next one.
      scan(draining ? [] : waiting.map(([project_id]) => project_id)).then(afterScan, afterScan);
    }, SCAN_EVERY_MS).unref();
  }

  function afterScan(): void {
    for (const [project_id, state] of projects) if (isIdle(state)) projects.delete(project_id);
    if ([...projects.values()].some(({ waiters }) => waiters.size > 0)) scanSoon();
  }

  return { of, scan, scanSoon };
}

/** After a search that found all lanes it may, the next one continues behind them. */
function nextScan(lanes: readonly Lane[], project_id: string): string {
  const found = lanes.filter((lane) => lane.project_id === project_id);
  return found.length < MAX_LANES ? PULL_HOST : (found.at(-1)?.host ?? PULL_HOST);
}

function newLanes(): WorkerLanes {
  const scannedAt = Number.NEGATIVE_INFINITY;
  const last = Promise.resolve();
  return { lanes: new Map(), turns: new Map(), waiters: new Map(), begun: 0, last, scannedAt, scanAfter: PULL_HOST };
}

function isIdle({ waiters, scannedAt }: WorkerLanes): boolean {
  return waiters.size === 0 && performance.now() - scannedAt > 60 * SCAN_EVERY_MS;
}

function wakeFor({ waiters }: WorkerLanes, host: string, count: number): void {
  const serving = [...waiters.values()].filter(({ serves }) => serves(host));
  for (let left = count; left > 0; left--) {
    const heads = serving.flatMap(({ polls }) => polls.values().next().value ?? []);
    const [first] = heads.sort((a, b) => a.since - b.since);
    if (!first) return;
    first.wake();
  }
}

function wakeAll({ waiters }: WorkerLanes): void {
  for (const { polls } of [...waiters.values()]) for (const { wake } of [...polls]) wake();
}

/** The lanes of a project as this instance knows them; searched if no claim was made in the last second. */
export async function lanesOf(ctx: Ctx, project_id: string): Promise<WorkerLanes> {
  const hub = hubOf(ctx);
  const state = hub.of(project_id);
  if (performance.now() - state.scannedAt > SCAN_EVERY_MS) await hub.scan([project_id]);
  return state;
}

/** Wakes another poll for the runs that a claim has left behind. */
export function wakeNextPoll(state: WorkerLanes): void {
  for (const host of state.lanes.keys()) wakeFor(state, host, 1);
}

/** What a poll waits for: `scope` is equal for polls that serve the same lanes. */
export type PollScope = { scope: string; serves: (host: string) => boolean };

/**
 * Resolves when runs may be claimable in a lane that the poll serves, when the time is up, or when the caller has
 * disconnected. Costs no statement.
 */
export function waitForLane(
  ctx: Ctx,
  state: WorkerLanes,
  { scope, serves }: PollScope,
  { ms, onClose }: { ms: number; onClose: (fn: () => void) => void },
): Promise<void> {
  if ([...state.lanes.keys()].some(serves)) return Promise.resolve();
  hubOf(ctx).scanSoon();
  return new Promise((resolve) => {
    const waiters = state.waiters.get(scope) ?? { serves, polls: new Set() };
    const waiter = { since: state.begun++, wake: done };
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      waiters.polls.delete(waiter);
      if (waiters.polls.size === 0 && state.waiters.get(scope) === waiters) state.waiters.delete(scope);
      resolve();
    }
    waiters.polls.add(waiter);
    state.waiters.set(scope, waiters);
    onClose(done);
  });
}
