import type { RunBlocker, RunExplanation } from "@millrace/contract/runs/run-explanation";
import { LEASE_SECS } from "../../../flow/runs/claim/lease-runs.ts";
import { hasEnded } from "../../../flow/runs/states.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { getRun } from "../queries.ts";
import { countAhead } from "./count-ahead.ts";
import { budgetOf } from "./explain-budget.ts";
import { type Facts, isClaimable, readFacts } from "./explain-facts.ts";
import { holdsOf } from "./explain-holds.ts";
import { limitsOf } from "./explain-limits.ts";
import { waitsOf } from "./explain-waits.ts";

/**
 * Explains why a run is not running: every current blocker, not only the one it is blocked on. The list is empty
 * exactly when a claim would take the run.
 */
export async function explainRun(ctx: ProjectCtx, id: string): Promise<RunExplanation> {
  const { id: run_id } = await getRun(ctx, id);
  const facts = await readFacts(ctx, run_id);
  if (!facts) throw notFound("run");
  const engines = await readEngines(ctx);
  const blockers = isHeldAtAll(facts) ? await blockersOf(ctx, facts, engines) : [];
  return {
    run_id,
    status: facts.status,
    summary: sentenceOf(facts, blockers),
    blockers,
    would_start_at: isHeldAtAll(facts) ? startOf(facts, blockers) : null,
    queue_position: isClaimable(facts) ? await positionOf(ctx, facts, engines) : null,
    running: runningOf(facts),
    workflow: await workflowOf(ctx, facts),
  };
}

function isHeldAtAll({ status }: Facts): boolean {
  return !hasEnded(status) && status !== "running";
}

async function blockersOf(ctx: ProjectCtx, facts: Facts, engines: Engines): Promise<RunBlocker[]> {
  return [
    ...(await waitsOf(ctx, facts)),
    ...holdsOf(facts),
    ...(await budgetOf(ctx, facts)),
    ...(await limitsOf(ctx, facts)),
    ...(facts.delivery === "pull" ? [] : noEngine(engines)),
  ];
}

/** Blockers that end by themselves at a known time. */
const SURE: ReadonlySet<string> = new Set(["not_due", "backoff", "rate_limit", "queue_rate_limit", "sleeping"]);

function startOf({ now }: Facts, blockers: readonly RunBlocker[]): string | null {
  let latest = now;
  for (const { code, until } of blockers) {
    if (!SURE.has(code) || until === null) return null;
    if (until > latest) latest = until;
  }
  return latest;
}

async function positionOf(ctx: ProjectCtx, { run_id, host }: Facts, engines: Engines) {
  const waiting = sql`q.host = ${host} and q.lease_until is null and q.blocked_on is null and q.stopped is null`;
  return { host, ahead: await countAhead(ctx, run_id, waiting), ...engines.shown };
}

function runningOf(facts: Facts): RunExplanation["running"] {
  const { status, claimed_at, attempt, instance_id, worker_id, accepted_at, lease_until, deadline } = facts;
  if (status !== "running" || !claimed_at || !lease_until || !deadline) return null;
  return {
    since: claimed_at,
    attempt,
    instance_id,
    worker_id,
    accepted_at,
    lease_until,
    deadline,
    last_heartbeat_at: lastSign(facts, lease_until, deadline),
  };
}

/** A lease starts at the last heartbeat; one that ends at the deadline does not show when that was. */
function lastSign({ accepted_at, worker_id, heartbeat_timeout_secs }: Facts, lease_until: string, deadline: string) {
  if (lease_until >= deadline) return null;
  if (worker_id !== null && accepted_at === null) return null;
  const secs = accepted_at === null || worker_id !== null ? LEASE_SECS : (heartbeat_timeout_secs ?? 0);
  return new Date(Date.parse(lease_until) - secs * 1_000).toISOString();
}

async function workflowOf(ctx: ProjectCtx, { workflow_run_id, step_ref }: Facts): Promise<RunExplanation["workflow"]> {
  if (workflow_run_id === null) return null;
  const { rows } = await sql<{ status: string }>`
    select status from workflow_runs
    where project_id = ${ctx.project_id} and id = ${workflow_run_id}`.execute(ctx.db);
  const explain = `/v1/workflow-runs/${workflow_run_id}/explain`;
  return { workflow_run_id, step_ref, status: rows[0]?.status ?? null, explain };
}

type Engines = {
  last_seen_at: string | null;
  shown: { engines_alive: number; dispatch_slots: number | null; dispatch_busy: number | null };
};

/** Instances send a heartbeat every 5 s. */
const SILENT_SECS = 30;

async function readEngines(ctx: Ctx): Promise<Engines> {
  const { rows } = await sql<{ alive: number; last_seen_at: string | null }>`
    select count(*) filter (where seen_at > clock() - ${SILENT_SECS} * interval '1 second')::int as alive,
      max(seen_at) as last_seen_at
    from instances where 'engine' = any(roles) and gone_at is null`.execute(ctx.db);
  const isHere = ctx.config.roles.has("engine");
  return {
    last_seen_at: rows[0]?.last_seen_at ?? null,
    shown: {
      engines_alive: rows[0]?.alive ?? 0,
      dispatch_slots: isHere ? ctx.config.dispatch_concurrency : null,
      dispatch_busy: isHere ? ctx.metrics.pool.active : null,
    },
  };
}

function noEngine({ last_seen_at, shown }: Engines): RunBlocker[] {
  if (shown.engines_alive > 0) return [];
  return [
    {
      code: "no_engine",
      message: last_seen_at
        ? `No instance with the engine role has sent a heartbeat since ${last_seen_at}.`
        : "No instance with the engine role is registered.",
      since: last_seen_at,
      until: null,
      evidence: { last_seen_at, engines_alive: 0 },
      remedy: { message: "Start an instance whose ROLES include `engine`." },
    },
  ];
}

/** Summarizes the explanation in one sentence. */
function sentenceOf(facts: Facts, blockers: readonly RunBlocker[]): string {
  if (hasEnded(facts.status)) return ended(facts);
  if (facts.status === "running") return running(facts);
  const [first, ...others] = blockers;
  const taker = facts.delivery === "pull" ? "a worker has room" : "a dispatch slot is free";
  if (!first) return `The run can start now: it is claimed as soon as ${taker}.`;
  if (others.length === 0) return first.message;
  const rest = others.map(({ code }) => code).join(", ");
  return `${first.message} Also blocked by: ${rest}.`;
}

function ended({ status, finished_at, cause, error, attempt }: Facts): string {
  const how = `The run ended as ${status} at ${finished_at}${cause === status ? "" : ` (${cause})`}`;
  const when = attempt > 0 ? `, in attempt ${attempt}` : ", before it started";
  return error ? `${how}${when}: ${error.message}` : `${how}${when}.`;
}

function running({ attempt, claimed_at, accepted_at, worker_id, lease_until }: Facts): string {
  const who =
    worker_id !== null
      ? `the worker ${worker_id} has claimed it`
      : accepted_at
        ? "its endpoint has accepted it"
        : "its endpoint has not responded yet";
  return `The run has been running since ${claimed_at}, in attempt ${attempt}: ${who}, and its lease is valid until ${lease_until}.`;
}
