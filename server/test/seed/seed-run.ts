import type { RunStatus } from "../../src/flow/runs/states.ts";
import { newId } from "../../src/platform/ids.ts";
import { idAt } from "../requests/id-at.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { appendRunChanges } from "./append-changes.ts";

/** Inserts runs directly, in any state, for tests that read and operate them. */

export type SeedJob = Partial<{
  slug: string;
  environment_id: string;
  max_concurrency: number;
  max_concurrency_per_key: number;
  run_ttl_secs: number;
  payload_schema: object;
  paused: boolean;
}>;

export async function seedJob(connection: TestConnection, project_id: string, job: SeedJob = {}) {
  const [id, version_id] = [newId(), newId()];
  await runSql(
    connection,
    `with job as (
       insert into jobs (project_id, id, slug, name, environment_id, max_concurrency, max_concurrency_per_key, paused_at,
         run_ttl_secs, version, version_id, created_by, created_at, updated_at)
       values ($1, $2, $4, 'Seeded', $5, $6, $7, case when $8::boolean then clock() end, $10, 1, $3, 'seed', clock(), clock())
     )
     insert into job_versions (project_id, id, job_id, version, endpoint_url, host, headers, timeout_secs,
       heartbeat_timeout_secs, max_attempts, retry_strategy, payload_schema, created_by, created_at)
     values ($1, $3, $2, 1, 'http://127.0.0.1:9/', '127.0.0.1:9', '', 300, 60, 3, 'exponential', $9, 'seed', clock())`,
    [
      project_id,
      id,
      version_id,
      job.slug ?? `job-${id.slice(-12)}`,
      job.environment_id ?? null,
      job.max_concurrency ?? null,
      job.max_concurrency_per_key ?? null,
      job.paused ?? false,
      job.payload_schema ? JSON.stringify(job.payload_schema) : null,
      job.run_ttl_secs ?? null,
    ],
  );
  return { id, version_id };
}

export type SeedRun = Partial<{
  id: string;
  job_id: string;
  job_version_id: string;
  environment_id: string;
  status: RunStatus;
  attempt: number;
  priority: number;
  payload: unknown;
  metadata: object;
  tags: Record<string, string>;
  result: unknown;
  error: { code: string; message: string };
  concurrency_key: string;
  batch_id: string;
  created_by: string;
  created_by_id: string;
  trigger_type: string;
  parent_run_id: string;
  workflow_run_id: string;
  pause_requested: boolean;
  is_dead_letter: boolean;
  scheduled_at: string;
  created_at: string;
  /** Columns of its queue row. */
  blocked_on: string;
  slots: string[];
  run_ttl_secs: number;
}>;

const CAME_FROM: Record<RunStatus, RunStatus | null> = {
  pending: null,
  running: "pending",
  waiting: "running",
  paused: "pending",
  completed: "running",
  failed: "running",
  timed_out: "running",
  canceled: "pending",
};

const ENDED = new Set<RunStatus>(["completed", "failed", "timed_out", "canceled"]);

/** Returns its id. */
export async function seedRun(connection: TestConnection, project_id: string, run: SeedRun = {}): Promise<string> {
  const [id] = await seedRuns(connection, project_id, [run]);
  if (id === undefined) throw new Error("no run");
  return id;
}

/** Returns their ids, in order. Runs without a job share one. */
export async function seedRuns(connection: TestConnection, project_id: string, runs: SeedRun[]): Promise<string[]> {
  const shared = runs.every((run) => run.job_id !== undefined) ? undefined : await seedJob(connection, project_id);
  const filled = runs.map((run) => fill({ job_id: shared?.id, job_version_id: shared?.version_id, ...run }));
  await runSql(connection, INSERT, [project_id, JSON.stringify(filled)]);
  return filled.map((run) => run.id);
}

function fill({ id, ...run }: { [K in keyof SeedRun]: SeedRun[K] | undefined }) {
  const status = run.status ?? "pending";
  const neverStarted = status === "pending" || status === "paused" || status === "canceled";
  return {
    id: id ?? (run.created_at === undefined ? newId() : idAt(run.created_at)),
    attempt: neverStarted ? 0 : 1,
    priority: 0,
    payload: { seeded: true },
    metadata: {},
    tags: {},
    created_by: "seed",
    trigger_type: "api",
    pause_requested: false,
    is_dead_letter: false,
    ...run,
    status,
    prev_status: CAME_FROM[status],
    is_ended: ENDED.has(status),
    is_queued: status === "pending" || status === "running",
    lease_token: status === "running" ? newId() : null,
  };
}

const INSERT = `
  with given as materialized (
    select g.*, coalesce(g.created_at, clock()) as inserted_at, coalesce(g.scheduled_at, clock()) as due_at,
      coalesce(g.environment_id, e.id) as environment, v.id as version_id, v.host
    from jsonb_to_recordset($2::jsonb) as g(
      id uuid, job_id uuid, job_version_id uuid, environment_id uuid, status text, prev_status text, attempt int,
      priority int, payload jsonb, metadata jsonb, tags jsonb, result jsonb, error jsonb, concurrency_key text,
      batch_id uuid, created_by text, created_by_id text, trigger_type text, parent_run_id uuid, workflow_run_id uuid,
      pause_requested boolean, is_dead_letter boolean, scheduled_at timestamptz(3), created_at timestamptz(3),
      blocked_on text, slots text[], run_ttl_secs int, is_ended boolean, is_queued boolean, lease_token uuid)
    join jobs j on j.project_id = $1 and j.id = g.job_id
    join job_versions v on v.project_id = $1 and v.id = coalesce(g.job_version_id, j.version_id)
    join environments e on e.project_id = $1 and e.slug = 'production'
  ),
  inserted as (
    insert into runs (project_id, id, job_id, job_version_id, environment_id, status, prev_status, transition_count, attempt,
      max_attempts, timeout_secs, priority, payload, metadata, tags, result, error, concurrency_key, batch_id,
      created_by, created_by_id, trigger_type, parent_run_id, workflow_run_id, pause_requested, scheduled_at, started_at, finished_at,
      dead_lettered_at, created_at, updated_at)
    select $1, id, job_id, version_id, environment, status, prev_status, case when prev_status is null then 1 else 2 end,
      attempt, 3, 300, priority, payload, metadata, tags, result, error, concurrency_key, batch_id, created_by,
      created_by_id, trigger_type, parent_run_id, workflow_run_id, pause_requested, due_at, case when attempt > 0 then clock() end,
      case when is_ended then clock() end, case when is_dead_letter then clock() end, inserted_at, clock()
    from given
  ),
  queued as (
    insert into run_queue (project_id, run_id, job_id, host, rank_at, interleave_at, turn_at, run_at, concurrency_key, blocked_on,
      expires_at, timeout_secs, heartbeat_timeout_secs, lease_until, lease_token, slots)
    select $1, id, job_id, host, greatest(due_at, clock()) - priority * interval '1 minute',
      case when concurrency_key is not null then due_at end,
      case when concurrency_key is not null then due_at - priority * interval '1 minute' end, due_at, concurrency_key,
      coalesce(blocked_on, case when due_at > clock() and lease_token is null then 'not_due' end),
      due_at + run_ttl_secs * interval '1 second', 300, 60,
      case when lease_token is not null then clock() + interval '30 seconds' end, lease_token, slots
    from given where is_queued
  ),
  logged as (
    insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
    select $1, id, 1, null, 'pending', 'created', 0, inserted_at from given
    union all
    select $1, id, 2, prev_status, status, case when status = 'running' then 'claimed' else status end, attempt, clock()
    from given where prev_status is not null
    returning *
  )
  ${appendRunChanges()}`;

/** A run in a state that the route at this path can act on. */
export function runFor(path: string): SeedRun {
  if (path.endsWith("/discard")) return { status: "failed", is_dead_letter: true };
  if (path.endsWith("/replay") || path.endsWith("/data") || path.endsWith("/stream")) return { status: "completed" };
  return {};
}
