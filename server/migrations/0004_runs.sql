-- No foreign keys: parents are checked in code, and children lock no hot rows.
create table runs (
  project_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  job_version_id uuid not null,
  environment_id uuid not null,
  status text not null,
  prev_status text,
  moves integer not null default 1,
  attempt integer not null default 0,
  tries_used integer not null default 0,
  crash_count integer not null default 0,
  max_attempts integer not null,
  timeout_secs integer not null,
  priority integer not null default 0,
  payload jsonb not null,
  metadata jsonb not null default '{}',
  tags jsonb not null default '{}',
  result jsonb,
  error jsonb,
  state jsonb,
  progress jsonb,
  checkpoint jsonb,
  concurrency_key text,
  idempotency_key text,
  dedup_hash bytea,
  debounced integer not null default 0,
  batch_id uuid,
  created_by text not null,
  created_by_id text,
  trigger_type text not null check (
    trigger_type in ('cron', 'api', 'event', 'webhook', 'workflow', 'replay', 'spawn')
  ),
  parent_run_id uuid,
  spawn_depth integer not null default 0,
  replay_of uuid,
  schedule_id uuid,
  workflow_run_id uuid,
  step_ref text,
  pause_requested boolean not null default false,
  cost_microusd bigint not null default 0,
  scheduled_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  dead_lettered_at timestamptz(3),
  replayed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  waits integer not null default 0,
  awaited_by uuid,
  parent_outputs jsonb,
  step_generation integer,
  replayed_by uuid,
  has_dependents boolean not null default false,
  open_dependencies integer not null default 0 check (open_dependencies >= 0),
  chain_depth integer not null default 0,
  derived_moves smallint not null default 0,
  end_http_status smallint,
  end_duration_ms integer,
  primary key (project_id, id),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'timed_out', 'canceled'))),
  constraint runs_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', 'pending>running', 'pending>paused', 'pending>canceled', 'pending>failed',
     'running>completed', 'running>failed', 'running>timed_out', 'running>canceled', 'running>pending',
     'running>waiting', 'running>paused',
     'waiting>pending', 'waiting>paused', 'waiting>timed_out', 'waiting>canceled',
     'paused>pending', 'paused>canceled')
  )
) with (fillfactor = 80);
-- No index has status: a change of status then rewrites no index entry (HOT).
-- Nor does a second whole index begin with the project: without statistics the planner takes it for as good as the key,
-- and a prepared plan then reads all runs of the project for each one.
create index runs_job_idx on runs (job_id, id);
create index runs_parent_idx on runs (project_id, parent_run_id, id) where parent_run_id is not null;
create index runs_schedule_idx on runs (project_id, schedule_id, id) where schedule_id is not null;
create index runs_replay_idx on runs (project_id, replay_of) where replay_of is not null;
create index runs_dead_letter_idx on runs (project_id, id) where dead_lettered_at is not null;
create index runs_dedup_idx on runs (project_id, job_id, environment_id, dedup_hash, created_at)
  where dedup_hash is not null;
-- A step starts once per generation.
create unique index runs_step_idx on runs (project_id, workflow_run_id, step_ref, step_generation)
  where workflow_run_id is not null;
-- Finds derived transitions by time, as run_transitions_created_at_idx does stored ones. Partial, so that no other query
-- uses it: it would read most of the table for runs that have not finished. Several intervals per range: pages whose
-- runs were removed are filled again, and then have two periods far apart.
create index runs_derived_idx on runs
  using brin (created_at timestamptz_minmax_multi_ops, finished_at timestamptz_minmax_multi_ops)
  with (pages_per_range = 32, autosummarize = on) where derived_moves > 0;
comment on table runs is 'One durable execution of a job; written by flow when the run is created and whenever it moves.';
comment on column runs.moves is 'How often the status has changed: numbers the transitions.';
comment on column runs.attempt is 'Rises at every claim and never repeats: the fence, and X-Svc-Attempt.';
comment on column runs.tries_used is 'What max_attempts limits.';
comment on column runs.crash_count is 'Leases lost without a response. Three end the run, whatever max_attempts says.';
comment on column runs.state is 'From the SDK: the last saved checkpoint.';
comment on column runs.progress is 'From the SDK: how far the run is.';
comment on column runs.checkpoint is 'The payload of the event that resumed the run.';
comment on column runs.dead_lettered_at is 'On the dead-letter list since then; null again when the run is replayed or discarded.';
comment on column runs.replayed_at is 'When a replay took the run off the dead-letter list: a dead letter is replayed once.';
comment on column runs.replayed_by is 'The newest run that a replay created from this one: replay_of in the other direction.';
comment on column runs.waits is 'How many waits the run has opened.';
comment on column runs.awaited_by is 'The event trigger with which the parent waits for the end of this run.';
comment on column runs.parent_outputs is 'The outputs of the preceding steps when the run was created.';
comment on column runs.step_generation is 'The generation of the step run to which this run belongs.';
comment on column runs.has_dependents is 'Other runs wait for the end of this one, which then adds an outbox entry. Set under the lock of this run, so that no end misses a dependent.';
comment on column runs.open_dependencies is 'How many dependencies are open. While there is one, the run is blocked on `dependency`.';
comment on column runs.chain_depth is 'How many emitted events led to this run.';
comment on column runs.derived_moves is 'The first so many transitions have no rows in run_transitions: run_history derives them from the run.';
comment on column runs.end_http_status is 'Of the derived transition that ends the run, as is end_duration_ms.';

-- Daily partitions, dropped by age.
create table run_transitions (
  project_id uuid not null,
  run_id uuid not null,
  ordinal integer not null,
  from_status text,
  to_status text not null,
  cause text not null,
  attempt integer not null,
  detail jsonb,
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, ordinal, created_at)
) partition by range (created_at);
-- Rows arrive in order of time: a period is found in a few pages, at no cost to the writer.
create index run_transitions_created_at_idx on run_transitions using brin (created_at)
  with (pages_per_range = 32, autosummarize = on);
create table run_transitions_rest partition of run_transitions default;
comment on table run_transitions is 'A stored change of a run''s status; inserted by flow in the statement that changes it. Read through run_history.';
comment on table run_transitions_rest is 'Transitions of days without a partition; PostgreSQL puts them here.';

-- Most runs are created, claimed once and completed: these transitions are derived. No index finds claims by time, so
-- readers of a period exclude to_status 'running'.
create view run_history as
select project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at
from run_transitions
union all
select project_id, id, 1, null::text, 'pending'::text, 'created'::text, 0, null::jsonb, created_at
from runs where derived_moves >= 1
union all
select project_id, id, 2, 'pending'::text, 'running'::text, 'claimed'::text, 1, null::jsonb, started_at
from runs where derived_moves >= 2
union all
select project_id, id, 3, 'running'::text, 'completed'::text, 'completed'::text, 1,
  jsonb_build_object('http_status', end_http_status, 'duration_ms', end_duration_ms, 'error', null), finished_at
from runs where derived_moves >= 3;
comment on view run_history is 'All transitions of runs, derived and stored; all code reads them here.';

create table removed_runs (
  project_id uuid primary key,
  ended_before timestamptz(3) not null
);
comment on table removed_runs is 'How far retention has removed the runs of a project; written by the removal of old runs.';
comment on column removed_runs.ended_before is 'Derived transitions are removed with their run, stored ones later with their partition: a recount of an earlier time would miss runs.';

create table idempotency_keys (
  project_id uuid not null,
  target_id uuid not null,
  environment_id uuid not null,
  key text not null,
  body_hash bytea not null,
  run_id uuid not null,
  expires_at timestamptz(3) not null,
  primary key (project_id, target_id, environment_id, key)
);
create index idempotency_keys_expires_idx on idempotency_keys (expires_at);
comment on table idempotency_keys is 'The result of a request with an Idempotency-Key; inserted by flow with what the request created.';
comment on column idempotency_keys.target_id is 'The job or workflow; for sends of events, derived from the event key or prefix.';

create table run_dependencies (
  project_id uuid not null,
  run_id uuid not null,
  depends_on_run_id uuid not null,
  depends_on_job_id uuid not null,
  condition text not null check (condition in ('completed', 'ended')),
  source text not null check (source in ('run', 'job')),
  ended_as text check (ended_as in ('completed', 'failed', 'timed_out', 'canceled')),
  settled_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, depends_on_run_id),
  check ((ended_as is null) = (settled_at is null))
);
create index run_dependencies_open_idx on run_dependencies (project_id, depends_on_run_id, run_id) where settled_at is null;
comment on table run_dependencies is 'A run that another run waits for; written by flow under the lock of the run that waits.';
comment on column run_dependencies.source is 'Whether the request named the run, or a dependency of the job.';
comment on column run_dependencies.ended_as is 'How the other run ended; it may be removed after that. Null: not ended, as far as this run knows.';

create table run_trees (
  project_id uuid not null,
  root_run_id uuid not null,
  runs integer not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, root_run_id)
);
create index run_trees_updated_idx on run_trees (updated_at);
comment on table run_trees is 'How many runs are connected by spawning, by the run at the top; written by flow when a run spawns another.';
