import { WORKER_GONE_SECS } from "@millrace/contract/workers/workers";
import { type JobLimits, QUEUE_LIMITS } from "../../../flow/limits/job-limits.ts";
import type { RunStatus } from "../../../flow/runs/states.ts";
import type { Stop } from "../../../flow/runs/stop/stop-queued.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

type RunFacts = {
  run_id: string;
  status: RunStatus;
  attempt: number;
  tries_used: number;
  max_attempts: number;
  error: { code: string; message: string } | null;
  pause_requested: boolean;
  open_dependencies: number;
  concurrency_key: string | null;
  payload: unknown;
  created_by: string;
  workflow_run_id: string | null;
  step_ref: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** When it is due: the queue row's time, else the run's own. */
  due_at: string;
  host: string;
};

/** From its queue row; null if it is not queued. */
type QueueFacts = {
  is_queued: boolean;
  blocked_on: string | null;
  /** The limit that granted it a slot. */
  granted_by: string | null;
  stopped: Stop | null;
  /** The workflow run whose cancel or pause stopped it. */
  stopped_by: string | null;
  claimed_at: string | null;
  lease_until: string | null;
  deadline: string | null;
  instance_id: string | null;
  worker_id: string | null;
  accepted_at: string | null;
  heartbeat_timeout_secs: number | null;
};

type CircuitFacts = {
  circuit_opened_at: string | null;
  circuit_reason: string | null;
  circuit_probe_at: string | null;
  circuit_good_probes: number | null;
  circuit_cause: "failing" | "unreachable" | null;
  /** Since when no connection to the endpoint can be made. */
  down_since: string | null;
  /** Runs that wait for an endpoint that is down, at most 10,000. */
  waiting_runs: number;
};

/** The run's last transition. */
type TransitionFacts = { moved_at: string; cause: string };

export type Facts = RunFacts &
  QueueFacts &
  CircuitFacts &
  TransitionFacts &
  JobLimits & {
    job_slug: string;
    is_job_deleted: boolean;
    paused_at: string | null;
    now: string;
    queue_paused_at: string | null;
    delivery: "push" | "pull";
    workers: number;
    now_ms: number;
  };

/** Reads everything the explanation needs about a run in one statement, at one instant. */
export async function readFacts(ctx: ProjectCtx, run_id: string): Promise<Facts | undefined> {
  const { rows } = await sql<Facts>`
    select r.id as run_id, r.status, r.attempt, r.tries_used, r.max_attempts, r.error, r.pause_requested,
      r.open_dependencies, r.concurrency_key, r.payload, r.created_by, r.workflow_run_id, r.step_ref, r.created_at,
      r.started_at, r.finished_at, coalesce(q.run_at, r.scheduled_at) as due_at, coalesce(q.host, v.host) as host,
      q.run_id is not null as is_queued, q.blocked_on, q.granted_by, q.stopped,
      q.workflow_run_id as stopped_by, q.lease_until, q.deadline, q.instance_id, q.worker_id, q.accepted_at,
      q.heartbeat_timeout_secs, q.deadline - q.timeout_secs * interval '1 second' as claimed_at,
      case when c.status = 'open' then c.opened_at end as circuit_opened_at, c.reason as circuit_reason,
      c.probe_at as circuit_probe_at, c.good_probes as circuit_good_probes, c.cause as circuit_cause, c.down_since,
      w.waiting_runs, t.created_at as moved_at, t.cause,
      j.id as job_id, j.slug as job_slug, j.deleted_at is not null as is_job_deleted, j.paused_at,
      j.paused_at is not null as is_paused, j.max_concurrency, j.max_concurrency_per_key, j.rate_limit_max,
      j.rate_limit_window_secs, j.rate_limit_keys, ${QUEUE_LIMITS}, k.paused_at as queue_paused_at, v.delivery,
      (select count(*)::int from workers w where w.project_id = r.project_id
        and w.last_seen_at > clock() - ${WORKER_GONE_SECS} * interval '1 second'
        and (w.queues is null or j.queue = any(w.queues))
        and (w.jobs is null or j.slug = any(w.jobs) or j.id::text = any(w.jobs))) as workers,
      clock()::timestamptz(3) as now, (extract(epoch from clock()) * 1000)::float8 as now_ms
    from runs r
    join jobs j on j.project_id = r.project_id and j.id = r.job_id
    left join queues k on k.project_id = j.project_id and k.name = j.queue
    join job_versions v on v.project_id = r.project_id and v.id = r.job_version_id
    left join run_queue q on q.project_id = r.project_id and q.run_id = r.id
    left join circuits c on c.project_id = r.project_id and c.host = coalesce(q.host, v.host)
      and (c.status = 'open' or c.down_since is not null)
    left join lateral (
      select count(*)::int as waiting_runs from (
        (select 1 from run_queue n where n.project_id = r.project_id and n.blocked_on = 'circuit:' || c.host
          and n.blocked_on is not null and n.blocked_on <> 'not_due' limit 10000)
        union all
        (select 1 from run_queue n where n.project_id = r.project_id and n.host = c.host
          and n.unreachable_until is not null and n.blocked_on = 'not_due' limit 10000)
        limit 10000
      ) n
    ) w on c.host is not null
    left join lateral (
      select t.created_at, t.cause from run_history t
      where t.project_id = r.project_id and t.run_id = r.id and t.ordinal = r.transition_count
    ) t on true
    where r.project_id = ${ctx.project_id} and r.id = ${run_id}`.execute(ctx.db);
  return rows[0];
}

/** In the queue, neither blocked nor leased. */
export function isClaimable({ is_queued, blocked_on, lease_until }: Facts): boolean {
  return is_queued && blocked_on === null && lease_until === null;
}
