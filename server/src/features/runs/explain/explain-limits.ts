import type { RunBlocker } from "@millrace/contract/runs/run-explanation";
import { limitsOf as limitsOfRun, queueOfWindow, windowsOf } from "../../../flow/limits/job-limits.ts";
import {
  emptyWindow,
  newestStartMs,
  nextStartMs,
  type RateWindow,
  roomIn,
  windowAt,
} from "../../../flow/limits/rate-window.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { countAhead, MAX_AHEAD } from "./count-ahead.ts";
import type { Facts } from "./explain-facts.ts";

const MAX_HOLDERS = 20;

/** Every limit of the job that has no room for the run, by the claim's rules, and the limit it is blocked on. */
export async function limitsOf(ctx: ProjectCtx, facts: Facts): Promise<RunBlocker[]> {
  const { slots, rates } = limitsOfRun(facts, facts);
  const blockers: RunBlocker[] = [];
  for (const slot of slots) blockers.push(...(await fullSlot(ctx, facts, slot)));
  for (const rate of rates) blockers.push(...(await fullWindow(ctx, facts, rate)));
  const isKnown = blockers.some(({ evidence }) => evidence.limit === facts.blocked_on);
  return isKnown || !isLimit(facts.blocked_on) ? blockers : [...blockers, limitGone(facts.blocked_on)];
}

type Limit = { key: string; max: number };

async function fullSlot(ctx: ProjectCtx, facts: Facts, { key, max }: Limit): Promise<RunBlocker[]> {
  const { rows } = await sql<{ active: number }>`
    select active from concurrency_counters where project_id = ${ctx.project_id} and key = ${key}`.execute(ctx.db);
  const active = rows[0]?.active ?? 0;
  if (facts.blocked_on !== key && (await hasRoom(ctx, facts, { key, room: max - active }))) return [];
  const [holders, ahead] = [await listHolders(ctx, key), await aheadOf(ctx, facts, key)];
  const { code, setting, of } = ownerOf(facts, key);
  const body = { [setting]: Math.max(active, max) + 1 };
  return [
    {
      code,
      message:
        active < max
          ? `${active} of ${max} slots of ${of} are in use, and the free ones go to runs ahead of this one.`
          : `The limit of ${of} is reached: ${active} of ${max} slots are in use.`,
      since: holders[0]?.since ?? null,
      until: null,
      evidence: { limit: key, setting, max, active, holders, ahead },
      remedy: raise(facts, key, "Wait until one of the running runs ends", setting, body),
    },
  ];
}

function ownerOf({ concurrency_key, job_slug, queue }: Facts, key: string) {
  if (key.startsWith("key:"))
    return {
      code: "concurrency_key",
      setting: "max_concurrency_per_key",
      of: `the concurrency key "${concurrency_key}"`,
    } as const;
  if (key.startsWith("queue:"))
    return { code: "queue_concurrency", setting: "max_concurrency", of: `the queue ${queue}` } as const;
  return { code: "job_concurrency", setting: "max_concurrency", of: `the job ${job_slug}` } as const;
}

/** A run queued behind others for the limit gets room only after all of them. */
async function hasRoom(ctx: ProjectCtx, facts: Facts, { key, room }: { key: string; room: number }): Promise<boolean> {
  if (room <= 0 || facts.granted_by === key) return room > 0;
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from (
      (select 1 from run_queue
        where project_id = ${ctx.project_id} and blocked_on = ${key} and blocked_on is not null
          and blocked_on <> 'not_due' limit ${room})
      union all
      (select 1 from run_queue
        where project_id = ${ctx.project_id} and granted_by is not null
          and (job_id = ${facts.job_id} or granted_by = ${key}) limit ${room})
    ) w`.execute(ctx.db);
  return (rows[0]?.waiting ?? 0) < room;
}

/** The holders of its slots that the caller may see, longest first. */
async function listHolders(ctx: ProjectCtx, key: string): Promise<{ run_id: string; since: string }[]> {
  const { rows } = await sql<{ run_id: string; since: string }>`
    select q.run_id, q.deadline - q.timeout_secs * interval '1 second' as since
    from run_queue q, lateral (
      select 1 from runs r
      where r.project_id = q.project_id and r.id = q.run_id and ${visible(ctx, "runs", "r")} offset 0
    ) r
    where q.project_id = ${ctx.project_id} and q.lease_until is not null and q.slots @> array[${key}::text]
    order by since limit ${MAX_HOLDERS}`.execute(ctx.db);
  return rows;
}

async function fullWindow(ctx: ProjectCtx, facts: Facts, { key, max }: Limit): Promise<RunBlocker[]> {
  const window_secs = windowsOf(facts, facts).find((each) => each.key === key)?.window_secs ?? 1;
  const window = await readWindow(ctx, facts, key, window_secs);
  if (facts.blocked_on !== key && (await hasRoom(ctx, facts, { key, room: roomIn(window, max) }))) return [];
  const ahead = await aheadOf(ctx, facts, key);
  const started = max - roomIn(window, max);
  const isOfQueue = queueOfWindow(key) !== undefined;
  const [, , name] = key.split(":");
  const of = isOfQueue ? `the queue ${facts.queue}` : `the job ${facts.job_slug}`;
  return [
    {
      code: isOfQueue ? "queue_rate_limit" : "rate_limit",
      message: `${name ? `The rate limit "${name}"` : "The rate limit"} of ${of} allows ${max} starts per ${window_secs} s and has no capacity left for this run.`,
      since: roomIn(window, max) > 0 ? null : timeAt(newestStartMs(window)),
      // Beyond the counting bound, the number is unknown.
      until: ahead < MAX_AHEAD ? timeAt(nextStartMs(window, max, ahead)) : null,
      evidence: { limit: key, max, window_secs, started, ahead },
      remedy: raise(
        facts,
        key,
        "Wait until the limit admits it",
        `the limit of ${isOfQueue ? "the queue" : "the job"}`,
        withRate(facts, name, Math.max(started, max) + ahead + 1),
      ),
    },
  ];
}

/** A deleted job keeps its live runs, but its limits can no longer be changed. */
function raise(facts: Facts, key: string, wait: string, limit: string, body: object): RunBlocker["remedy"] {
  const { job_id, is_job_deleted, queue } = facts;
  const message = `${wait}, or raise ${limit}.`;
  if (key.startsWith("queue")) return { message, request: { method: "PATCH", path: `/v1/queues/${queue}`, body } };
  if (is_job_deleted) return { message: `${wait}: the job was deleted, so its limits cannot be raised.` };
  return { message, request: { method: "PATCH", path: `/v1/jobs/${job_id}`, body } };
}

/** A list is replaced as a whole, so the request repeats the other named limits unchanged. */
function withRate({ rate_limit_keys }: Facts, name: string | undefined, max: number): object {
  if (!name) return { rate_limit_max: max };
  return { rate_limit_keys: rate_limit_keys.map((each) => (each.name === name ? { ...each, max } : each)) };
}

function timeAt(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

async function readWindow(ctx: ProjectCtx, { now_ms }: Facts, key: string, window_secs: number): Promise<RateWindow> {
  const { rows } = await sql<RateWindow>`
    select window_secs, starts, last_slot from rate_windows
    where project_id = ${ctx.project_id} and key = ${key}`.execute(ctx.db);
  return windowAt(rows[0] ?? emptyWindow(window_secs), window_secs, now_ms);
}

/** How many runs ahead of it are blocked on the same limit. */
function aheadOf(ctx: ProjectCtx, { run_id }: Facts, key: string): Promise<number> {
  const waiting = sql`q.blocked_on = ${key} and q.blocked_on is not null and q.blocked_on <> 'not_due'`;
  return countAhead(ctx, run_id, waiting);
}

function isLimit(blocked_on: string | null): blocked_on is string {
  return blocked_on !== null && /^(key|job|rate|queue|queue_rate):/.test(blocked_on);
}

/** The limit was removed or changed, and that change has not reached this run yet. */
function limitGone(limit: string): RunBlocker {
  return {
    code: "releasing",
    message: "The run is blocked on a limit that its job no longer has.",
    since: null,
    until: null,
    evidence: { limit },
    remedy: { message: "Wait: it is unblocked within half a minute." },
  };
}
