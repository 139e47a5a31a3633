create table workflows (
  project_id uuid not null references projects (id),
  id uuid not null,
  slug text not null,
  name text not null,
  description text,
  tags jsonb not null default '{}',
  enabled boolean not null default true,
  environment_id uuid,
  -- The version that new runs get.
  version_id uuid not null,
  current_version integer not null,
  -- The newest, active or not.
  version integer not null,
  max_concurrent_runs integer,
  cron text,
  timezone text not null default 'UTC',
  cron_overlap_policy text not null default 'allow' check (cron_overlap_policy in ('allow', 'skip', 'cancel_running')),
  on_failure_job_id uuid,
  cancel_on jsonb not null default '[]',
  -- Rises with every change that a start depends on.
  revision integer not null default 1,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (project_id, id),
  foreign key (project_id, environment_id) references environments (project_id, id)
);
create unique index workflows_slug_idx on workflows (project_id, slug) where deleted_at is null;
create index workflows_created_at_idx on workflows (project_id, created_at, id) where deleted_at is null;
-- Those to be removed for good.
create index workflows_deleted_at_idx on workflows (deleted_at) where deleted_at is not null;
create index workflows_environment_idx on workflows (environment_id, project_id);

-- Never changed: a run stays on the version it was started with.
create table workflow_versions (
  project_id uuid not null,
  id uuid not null,
  workflow_id uuid not null,
  version integer not null,
  steps jsonb not null,
  timeout_secs integer,
  max_parallel_steps integer,
  payload_schema jsonb,
  breaking_change boolean not null default false,
  created_by text not null,
  created_at timestamptz(3) not null,
  primary key (project_id, id),
  unique (project_id, workflow_id, version)
);
create index workflow_versions_created_at_idx on workflow_versions (project_id, workflow_id, created_at, id);

create table workflow_runs (
  project_id uuid not null,
  id uuid not null,
  workflow_id uuid not null,
  version_id uuid not null,
  version integer not null,
  environment_id uuid not null,
  status text not null,
  prev_status text,
  moves integer not null default 1,
  phase text check (phase in ('compensating')),
  payload jsonb not null,
  tags jsonb not null default '{}',
  metadata jsonb not null default '{}',
  routing_key text,
  idempotency_key text,
  error jsonb,
  error_count integer not null default 0,
  trigger_type text not null check (
    trigger_type in ('cron', 'api', 'event', 'webhook', 'workflow', 'replay', 'spawn')
  ),
  created_by text not null,
  schedule_id uuid,
  batch_id uuid,
  -- Numbers the rows of workflow_decisions.
  decisions integer not null default 0,
  timeout_secs integer,
  -- It is counted in the workflow's counter.
  holds_slot boolean not null default false,
  -- `workflow:<id>`: it waits for a slot of max_concurrent_runs.
  parked_on text,
  scheduled_at timestamptz(3) not null,
  started_at timestamptz(3),
  -- Paused time is outside of it.
  deadline timestamptz(3),
  paused_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'timed_out', 'canceled'))),
  constraint workflow_runs_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', '>running', 'pending>running', 'pending>paused', 'pending>canceled',
     'running>paused', 'running>completed', 'running>failed', 'running>timed_out', 'running>canceled',
     'paused>running', 'paused>pending', 'paused>canceled',
     'completed>running', 'failed>running', 'timed_out>running', 'canceled>running')
  )
) with (fillfactor = 80);
-- No second whole index begins with the project: a plan that was made while the table was empty would take it for the
-- key, and walk the project's runs for each one.
create index workflow_runs_workflow_idx on workflow_runs (workflow_id, id);
-- What the runs of a version took.
create index workflow_runs_version_idx on workflow_runs (version_id, id);
create index workflow_runs_live_idx on workflow_runs (project_id, workflow_id, version_id, id) where finished_at is null;
create index workflow_runs_due_idx on workflow_runs (scheduled_at) where status = 'pending' and parked_on is null;
create index workflow_runs_parked_idx on workflow_runs (project_id, parked_on, scheduled_at, id)
  where status = 'pending' and parked_on is not null;
create index workflow_runs_deadline_idx on workflow_runs (deadline) where status = 'running' and deadline is not null;
create index workflow_runs_finished_idx on workflow_runs (finished_at) where finished_at is not null;
create index workflow_runs_schedule_idx on workflow_runs (project_id, schedule_id, id) where schedule_id is not null;

create table step_runs (
  project_id uuid not null,
  id uuid not null,
  workflow_run_id uuid not null,
  step_ref text not null,
  -- Its place in the definition.
  position integer not null,
  type text not null,
  status text not null,
  prev_status text,
  -- Rises when it is reset: what belongs to an older one is stale.
  generation integer not null default 1,
  output jsonb,
  error jsonb,
  -- Why it was skipped or canceled.
  cause text,
  -- The step because of which.
  cause_ref text,
  run_id uuid,
  event_trigger_id uuid,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, workflow_run_id, step_ref),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'skipped', 'canceled'))),
  constraint step_runs_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', 'pending>running', 'pending>waiting', 'pending>completed', 'pending>failed', 'pending>skipped',
     'pending>canceled', 'running>completed', 'running>failed', 'running>skipped', 'running>canceled',
     'running>pending', 'waiting>completed', 'waiting>failed', 'waiting>skipped', 'waiting>canceled',
     'waiting>pending', 'completed>pending', 'failed>pending', 'skipped>pending', 'canceled>pending',
     'failed>skipped', 'canceled>skipped')
  )
) with (fillfactor = 80);
create index step_runs_active_idx on step_runs (status, updated_at) where status in ('running', 'waiting');

-- Every decision of the scheduler with its reason, written as it is made. Daily partitions, dropped by age.
create table workflow_decisions (
  project_id uuid not null,
  workflow_run_id uuid not null,
  ordinal integer not null,
  step_ref text,
  decision_type text not null,
  reason text not null,
  detail jsonb,
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null,
  primary key (project_id, workflow_run_id, ordinal, created_at)
) partition by range (created_at);
create index workflow_decisions_created_at_idx on workflow_decisions using brin (created_at)
  with (pages_per_range = 32, autosummarize = on);
create table workflow_decisions_rest partition of workflow_decisions default;

create unique index schedules_default_workflow_idx on schedules (project_id, workflow_id)
  where is_default and workflow_id is not null;
create index schedules_workflow_idx on schedules (project_id, workflow_id) where workflow_id is not null;
