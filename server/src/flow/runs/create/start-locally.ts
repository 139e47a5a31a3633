import { randomUUID } from "node:crypto";
import type { Ctx } from "../../../platform/context.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { jsonRoom } from "../../../platform/json/json-room.ts";
import { perService } from "../../../platform/service-state.ts";
import { jobSlotKey } from "../../limits/job-limits.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { laneKey } from "../claim/lanes.ts";
import { isPullLane } from "../claim/pull-lanes.ts";
import type { Reservation } from "../pull/waiting-polls.ts";
import { reservePoll } from "../pull/worker-lanes.ts";
import type { Enqueued, NewRun, Starts } from "./new-run.ts";

/** The dispatcher of this instance, as far as a trigger needs it. */
export type Starter = {
  /** Reserves slots for runs that are about to be created, if nothing is queued before them. Returns how many. */
  reserve: (lane: { project_id: string; host: string }, wanted: number) => number;
  /** Releases reserved slots that were not used. */
  release: (host: string, count: number) => void;
  /** Starts runs in reserved slots. */
  start: (runs: ClaimedRun[]) => void;
};

/** `poll`: the one that the runs in lanes of workers are handed to. */
export type ChosenStarts = Starts & { poll?: Reservation };

const portOf = perService(() => ({ starter: undefined as Starter | undefined }));

/** Main connects the dispatcher here, and disconnects it before a drain. Without one, every pushed run is queued. */
export function connectStarter(ctx: Ctx, starter: Starter | undefined): void {
  portOf(ctx).starter = starter;
}

/**
 * Chooses the runs of a batch that this instance will start itself: created running, they are neither queued nor
 * claimed, which saves a third of the statements and the wait between two of them. Only while slots are free and
 * nothing is queued in their lane, so no queued run is overtaken. Runs of a limited job also need slots of its limit.
 * Those for workers are handed to a poll that waits here.
 */
export function chooseStarts(ctx: Ctx, newRuns: readonly NewRun[]): ChosenStarts {
  const { starter } = portOf(ctx);
  const starts: ChosenStarts = { lease_token: randomUUID(), ids: new Set() };
  for (const runs of groupBy(withSmallPayloads(newRuns.filter(startsAtOnce)), laneKey).values()) {
    const [first] = runs;
    if (!first) continue;
    const reserved = isPullLane(first.host) ? handTo(ctx, first, starts) : starter?.reserve(first, runs.length);
    for (const run of firstOf(runs, reserved ?? 0)) starts.ids.add(run.id);
  }
  return starts;
}

/** One poll for each batch: it gets as many runs as it asks for, and the others are queued for the next. */
function handTo(ctx: Ctx, run: NewRun, starts: ChosenStarts): number {
  const poll = starts.poll ? undefined : reservePoll(ctx, run);
  if (!poll) return 0;
  starts.poll = poll;
  starts.worker = { ...poll.lease, project_id: run.project_id, first_id: null };
  return poll.max;
}

/** In order of rank, as a claim would take them. */
function firstOf(runs: readonly NewRun[], count: number): readonly NewRun[] {
  return count < runs.length ? runs.toSorted((a, b) => b.priority - a.priority).slice(0, count) : runs;
}

/** Payloads and outputs together. Runs started here are serialized here for their dispatch, all at once. */
const MAX_CHARACTERS = 262_144;

function withSmallPayloads(runs: readonly NewRun[]): NewRun[] {
  if (runs.length === 1) return [...runs];
  let left = MAX_CHARACTERS;
  return runs.filter(({ payload, parent_outputs }) => {
    if (left >= 0) left = jsonRoom(parent_outputs, jsonRoom(payload, left));
    return left >= 0;
  });
}

/** After the commit: starts the created ones, and releases the slots of the others. */
export function startCreated(ctx: Ctx, newRuns: readonly NewRun[], starts: ChosenStarts, enqueued: Enqueued): void {
  const { starter } = portOf(ctx);
  if (starts.ids.size === 0) return;
  const claimed: ClaimedRun[] = [];
  const handed: ClaimedRun[] = [];
  for (const run of newRuns) {
    if (!starts.ids.has(run.id)) continue;
    const { scheduled_at, deadline } = enqueued.get(run.id) ?? {};
    if (scheduled_at && deadline) {
      const started = claimedRun(run, starts.lease_token, scheduled_at, deadline);
      (isPullLane(run.host) ? handed : claimed).push(started);
    } else if (!isPullLane(run.host)) starter?.release(run.host, 1);
  }
  starter?.start(claimed);
  starts.poll?.hand(handed);
}

/** After a failure: nothing was created. */
export function releaseStarts(ctx: Ctx, newRuns: readonly NewRun[], { ids, poll }: ChosenStarts): void {
  const { starter } = portOf(ctx);
  for (const run of newRuns) if (ids.has(run.id) && !isPullLane(run.host)) starter?.release(run.host, 1);
  poll?.hand([]);
}

function startsAtOnce(run: NewRun): boolean {
  const mustBeClaimed = run.is_job_limited && run.sole_max_concurrency === null;
  if (isPullLane(run.host) && run.is_job_limited) return false;
  const isHeld = run.is_job_paused || mustBeClaimed || run.concurrency_key !== null || run.is_over_budget;
  return !isHeld && run.scheduled_at === null && !run.delay_secs;
}

function claimedRun(run: NewRun, lease_token: string, scheduled_at: string, deadline: string): ClaimedRun {
  return {
    project_id: run.project_id,
    run_id: run.id,
    job_id: run.job_id,
    job_slug: run.job_slug,
    job_version_id: run.job_version_id,
    environment_id: run.environment_id,
    host: run.host,
    attempt: 1,
    tries_used: 0,
    crash_count: 0,
    max_attempts: run.max_attempts,
    timeout_secs: run.timeout_secs,
    payload: JSON.stringify(run.payload),
    metadata: JSON.stringify(run.metadata),
    tags: JSON.stringify(run.tags),
    checkpoint: null,
    state: null,
    scheduled_at,
    deadline,
    workflow_run_id: run.workflow_run_id,
    step_ref: run.step_ref,
    parent_outputs: run.parent_outputs === null ? null : JSON.stringify(run.parent_outputs),
    waits: 0,
    traceparent: run.traceparent,
    lease_token,
    slots: run.sole_max_concurrency === null ? null : [jobSlotKey(run.job_id)],
  };
}
