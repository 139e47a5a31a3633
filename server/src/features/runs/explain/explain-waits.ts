import type { RunDependencyStatus } from "@millrace/contract/runs/run-dependencies";
import type { RunBlocker } from "@millrace/contract/runs/run-explanation";
import { isSatisfied } from "../../../flow/runs/dependencies/link-dependencies.ts";
import { listDefinitions } from "../../../flow/runs/dependencies/list-definitions.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { getRun } from "../queries.ts";
import { type Facts, isClaimable } from "./explain-facts.ts";

/** Blockers outside the run: other runs, an event, a time, a child. */
export async function waitsOf(ctx: ProjectCtx, facts: Facts): Promise<RunBlocker[]> {
  const waits = facts.status === "waiting" ? [await openWait(ctx, facts)] : [];
  const isHeld = facts.blocked_on === "dependency" || (facts.open_dependencies > 0 && !isClaimable(facts));
  return isHeld ? [...waits, await dependency(ctx, facts)] : waits;
}

async function dependency(ctx: ProjectCtx, { run_id, created_at }: Facts): Promise<RunBlocker> {
  const open = (await listDependencies(ctx, run_id)).filter(({ state }) => state === "open");
  const named = open.map((each) => `${each.run_id} (${each.status ?? "removed"})`).join(", ");
  return {
    code: "dependency",
    message:
      open.length > 0 ? `The run is waiting for ${named}.` : "Its dependencies have ended; it is being unblocked.",
    since: created_at,
    until: null,
    evidence: {
      dependencies: open.map((each) => ({ ...each, explain: `/v1/runs/${each.run_id}/explain` })),
    },
    remedy: { message: "Wait until those runs have ended; `explain` shows what blocks each." },
  };
}

type Wait = {
  id: string;
  event_key: string;
  wait_kind: "event" | "sleep" | "child" | "approval";
  child_run_id: string | null;
  requested_at: string;
  expires_at: string;
};

async function openWait(ctx: ProjectCtx, { run_id, moved_at }: Facts): Promise<RunBlocker> {
  const { rows } = await sql<Wait>`
    select id, event_key, wait_kind, child_run_id, requested_at, expires_at from event_triggers
    where project_id = ${ctx.project_id} and job_run_id = ${run_id} and status = 'waiting'
    order by ordinal desc limit 1`.execute(ctx.db);
  const [wait] = rows;
  if (!wait) return resuming(moved_at);
  if (wait.wait_kind === "sleep") return sleeping(wait);
  return wait.wait_kind === "child" ? awaitingChild(wait) : awaitingEvent(wait);
}

function awaitingEvent({ id, event_key, requested_at, expires_at }: Wait): RunBlocker {
  return {
    code: "waiting_for_event",
    message: `The run is waiting for the event "${event_key}", until ${expires_at} at the latest.`,
    since: requested_at,
    until: expires_at,
    evidence: { event_trigger_id: id, event_key, expires_at },
    remedy: {
      message: "Send the event with the payload that the run needs.",
      request: { method: "POST", path: `/v1/events/${encodeURIComponent(event_key)}/send`, body: { payload: {} } },
    },
  };
}

function sleeping({ id, requested_at, expires_at }: Wait): RunBlocker {
  return {
    code: "sleeping",
    message: `The run is sleeping until ${expires_at}.`,
    since: requested_at,
    until: expires_at,
    evidence: { event_trigger_id: id },
    remedy: { message: "Wait: it resumes automatically." },
  };
}

function awaitingChild({ id, child_run_id, requested_at, expires_at }: Wait): RunBlocker {
  return {
    code: "waiting_for_child",
    message: `The run is waiting for its child run ${child_run_id} to end, until ${expires_at} at the latest.`,
    since: requested_at,
    until: expires_at,
    evidence: { event_trigger_id: id, child_run_id, explain: `/v1/runs/${child_run_id}/explain` },
    remedy: { message: "Wait until the child run ends; its `explain` shows what blocks it." },
  };
}

/** The wait has ended, and the run resumes with the same commit or in the next reconciliation pass. */
function resuming(since: string): RunBlocker {
  return {
    code: "releasing",
    message: "The run's wait has ended, and it is being resumed.",
    since,
    until: null,
    evidence: {},
    remedy: { message: "Wait half a minute." },
  };
}

type Dependency = RunDependencyStatus["dependencies"][number];

/** Returns the run's dependencies with the current state of each. */
export async function getDependencyStatus(ctx: ProjectCtx, id: string): Promise<RunDependencyStatus> {
  const run = await getRun(ctx, id);
  const [definitions, dependencies] = await Promise.all([
    listDefinitions(ctx, ctx.project_id, run.job_id),
    listDependencies(ctx, run.id),
  ]);
  const unblocked = dependencies.every(({ state }) => state === "satisfied");
  return { run_id: run.id, status: run.status, unblocked, definitions, dependencies };
}

async function listDependencies(ctx: ProjectCtx, run_id: string): Promise<Dependency[]> {
  const { rows } = await sql<Omit<Dependency, "state"> & { seen: string | null }>`
    select d.depends_on_run_id as run_id, d.depends_on_job_id as job_id, d.source, d.condition, d.ended_as as seen,
      coalesce(d.ended_as, r.status) as status, d.settled_at
    from run_dependencies d
    left join lateral (
      select r.status from runs r where r.project_id = d.project_id and r.id = d.depends_on_run_id offset 0
    ) r on true
    where d.project_id = ${ctx.project_id} and d.run_id = ${run_id}
    order by d.depends_on_run_id`.execute(ctx.db);
  return rows.map(({ seen, ...row }) => ({ ...row, state: stateOf(row.condition, seen) }));
}

/** Uses the recorded end of the dependency, because that is what unblocks the run. */
function stateOf(condition: Dependency["condition"], seen: string | null): Dependency["state"] {
  if (seen === null) return "open";
  return isSatisfied(condition, seen) ? "satisfied" : "failed";
}
