import type { Ctx } from "../../../platform/context.ts";
import { perService } from "../../../platform/service-state.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { LANES_TOPIC, type Lane, readLane } from "../claim/lanes.ts";
import { findPullLanes, isPullLane, PULL_HOST } from "../claim/pull-lanes.ts";
import { findCatalog } from "./pull-catalog.ts";
import {
  openWaitingPolls,
  type PollScope,
  type Reservation,
  type WaitingPolls,
  type WaitOptions,
} from "./waiting-polls.ts";

/** A lane that may have claimable runs, from a position on. `count`: how many at most; infinite: unknown. */
export type QueuedLane = { bound: string; count: number };

/** The claims of workers in one project on this instance. */
export type WorkerLanes = {
  /** By host. A new object for every wake-up. */
  lanes: Map<string, QueuedLane>;
  /** Lanes of which the claim in progress takes all that was queued when it began. */
  claiming: ReadonlySet<QueuedLane>;
  /** How much of its share each queue has had: a queue that returns starts where the others are. */
  turns: Map<string, number>;
  polls: WaitingPolls;
  /** One claim at a time: concurrent ones would choose the same runs. */
  last: Promise<unknown>;
  scannedAt: number;
  /** Where the next search continues: it finds a limited number of lanes. */
  scanAfter: string;
};

const SCAN_EVERY_MS = 1_000;
const MAX_LANES = 256;

const projectsOf = perService(() => new Map<string, WorkerLanes>());
const hubOf = perService((ctx: Ctx) => openHub(ctx));

/** Subscribed to wake-ups of lanes from the first claim on. While nothing happens, it costs a statement per second. */
function openHub(ctx: Ctx) {
  const projects = projectsOf(ctx);
  let isPlanned = false;

  ctx.wakeup.onWake(LANES_TOPIC, (detail) => {
    const lane = readLane(detail);
    // A failed search is repeated within a second.
    if (lane === undefined) scan([...projects.keys()]).catch(() => {});
    else if (isPullLane(lane.host)) add(lane, lane.count);
  });

  function of(project_id: string): WorkerLanes {
    const lanes = projects.get(project_id) ?? newLanes();
    projects.set(project_id, lanes);
    return lanes;
  }

  function add({ project_id, host, rank_at }: Lane, count = Number.POSITIVE_INFINITY): void {
    const state = projects.get(project_id);
    if (!state) return;
    const { bound = rank_at, count: before = 0 } = state.lanes.get(host) ?? {};
    state.lanes.set(host, { bound: bound < rank_at ? bound : rank_at, count: before + count });
    state.polls.wakeFor(host, Number.isFinite(count) ? count : 1);
  }

  async function scan(project_ids: string[]): Promise<void> {
    if (project_ids.length === 0) return;
    const scannedAt = performance.now();
    const from = project_ids.map((project_id) => ({ project_id, after: of(project_id).scanAfter }));
    const lanes = await findPullLanes(ctx, from, MAX_LANES);
    // A queue may have been resumed, or a job moved, since the polls began to wait.
    for (const project_id of new Set(lanes.map((lane) => lane.project_id))) await findCatalog(ctx, project_id);
    for (const lane of lanes) add(lane);
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
      const waiting = [...projects].filter(([, { polls }]) => polls.size() > 0);
      const { draining } = ctx.state;
      if (draining) for (const [, { polls }] of waiting) polls.wakeAll();
      // A failed search is repeated by the next one.
      scan(draining ? [] : waiting.map(([project_id]) => project_id)).then(afterScan, afterScan);
    }, SCAN_EVERY_MS).unref();
  }

  function afterScan(): void {
    for (const [project_id, state] of projects) if (isIdle(state)) projects.delete(project_id);
    if ([...projects.values()].some(({ polls }) => polls.size() > 0)) scanSoon();
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
  const claiming = new Set<QueuedLane>();
  const polls = openWaitingPolls();
  return { lanes: new Map(), claiming, turns: new Map(), polls, last, scannedAt, scanAfter: PULL_HOST };
}

function isIdle({ polls, scannedAt }: WorkerLanes): boolean {
  // One whose first search is under way has not been idle: its claim holds it.
  return polls.size() === 0 && Number.isFinite(scannedAt) && performance.now() - scannedAt > 60 * SCAN_EVERY_MS;
}

/** The lanes of a project as this instance knows them; searched if no claim was made in the last second. */
export async function lanesOf(ctx: Ctx, project_id: string): Promise<WorkerLanes> {
  const hub = hubOf(ctx);
  const state = hub.of(project_id);
  if (performance.now() - state.scannedAt > SCAN_EVERY_MS) await hub.scan([project_id]);
  return state;
}

/** Wakes another poll for the runs that a claim has left behind. */
export function wakeNextPoll({ lanes, polls }: WorkerLanes): void {
  for (const host of lanes.keys()) polls.wakeFor(host, 1);
}

/**
 * Resolves when runs may be claimable in a lane that the poll serves, with those that are handed to it, when the time is
 * up, or when the caller has disconnected. Costs no statement.
 */
export async function waitForLane(
  ctx: Ctx,
  state: WorkerLanes,
  scope: PollScope,
  options: WaitOptions,
): Promise<ClaimedRun[]> {
  if (mayHaveRuns(state, scope)) return [];
  hubOf(ctx).scanSoon();
  return state.polls.wait(scope, options);
}

/** Whether a poll may find runs: not if a claim in progress takes all. It waits then, and new runs are handed to it. */
export function mayHaveRuns({ lanes, claiming }: WorkerLanes, { serves }: PollScope): boolean {
  return [...lanes].some(([host, lane]) => !claiming.has(lane) && serves(host));
}

/**
 * A poll for runs that are about to be created in a lane, if none is queued there: it would be overtaken. Queue and name
 * are those of the job's revision, which the creation compares: the catalog may be older. Runs that a
 * claim in progress takes anyway do not count: if they did, the next runs would always have to queue.
 */
export function reservePoll(ctx: Ctx, { project_id, host, job_slug, queue }: ReservedRun): Reservation | undefined {
  const state = projectsOf(ctx).get(project_id);
  if (!state || ctx.state.draining) return undefined;
  const { lanes, polls, claiming } = state;
  const queued = lanes.get(host);
  const isNext = queued === undefined || claiming.has(queued);
  return isNext ? polls.reserve(host, { slug: job_slug, queue }) : undefined;
}

type ReservedRun = { project_id: string; host: string; job_slug: string; queue: string };
