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
  created_by_id text,
  schedule_id uuid,
  batch_id uuid,
  decisions integer not null default 0,
  timeout_secs integer,
  holds_slot boolean not null default false,
  blocked_on text,
  scheduled_at timestamptz(3) not null,
  started_at timestamptz(3),
  deadline timestamptz(3),
  paused_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  canary_id uuid,
  parent_workflow_run_id uuid,
  parent_step_ref text,
  parent_generation integer,
  root_workflow_run_id uuid,
  depth integer not null default 0,
  planned_end jsonb,
  chain_depth integer not null default 0,
  stopped text check (stopped = 'cancel'),
  pause_inherited boolean not null default false,
  primary key (project_id, id),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'timed_out', 'canceled'))),
  constraint workflow_runs_planned_end check ((planned_end is not null) = (phase is not null)),
  constraint workflow_runs_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', '>running', 'pending>running', 'pending>paused', 'pending>canceled',
     'running>paused', 'running>completed', 'running>failed', 'running>timed_out', 'running>canceled',
     'paused>running', 'paused>pending', 'paused>canceled',
     'completed>running', 'failed>running', 'timed_out>running', 'canceled>running')
  )
) with (fillfactor = 80);
-- No second whole index begins with the project: a plan that was made while the table was empty would take it for the
-- key, and read all runs of the project for each one.
create index workflow_runs_workflow_idx on workflow_runs (workflow_id, id);
create index workflow_runs_version_idx on workflow_runs (version_id, id);
create index workflow_runs_canary_idx on workflow_runs (canary_id, version_id, finished_at) where canary_id is not null;
create index workflow_runs_parent_idx on workflow_runs (parent_workflow_run_id, id)
  where parent_workflow_run_id is not null;
create index workflow_runs_live_idx on workflow_runs (project_id, workflow_id, version_id, id) where finished_at is null;
create index workflow_runs_blocked_idx on workflow_runs (project_id, blocked_on, scheduled_at, id)
  where status = 'pending' and blocked_on is not null;
create index workflow_runs_schedule_idx on workflow_runs (project_id, schedule_id, id) where schedule_id is not null;
create index workflow_runs_finished_idx on workflow_runs (finished_at) where finished_at is not null;
-- Runs created in a minute are recounted: they are found in a few pages, at no cost to the writer.
create index workflow_runs_created_at_idx on workflow_runs using brin (created_at) with (autosummarize = on);
create index workflow_runs_due_idx on workflow_runs (scheduled_at)
  where status = 'pending' and blocked_on is null and stopped is null;
create index workflow_runs_due_in_turn_idx on workflow_runs (project_id, scheduled_at)
  where status = 'pending' and blocked_on is null;
create index workflow_runs_deadline_idx on workflow_runs (deadline) where status = 'running' and deadline is not null;
create index workflow_runs_deadline_in_turn_idx on workflow_runs (project_id, deadline)
  where status = 'running' and deadline is not null;
comment on table workflow_runs is 'One durable execution of a workflow; written by flow when it is created and whenever it moves.';
comment on column workflow_runs.decisions is 'Numbers the rows of workflow_decisions.';
comment on column workflow_runs.holds_slot is 'Counted in the workflow''s concurrency counter, also without a limit, so that a limit that is set later counts it. A run below one of its own workflow shares the slot of that one.';
comment on column workflow_runs.blocked_on is 'workflow:<id>: it waits for a slot of max_concurrent_runs.';
comment on column workflow_runs.deadline is 'Paused time does not count.';
comment on column workflow_runs.canary_id is 'The canary that chose the version; null: none did.';
comment on column workflow_runs.parent_step_ref is 'The step that started the run, in the generation of parent_generation; null: no workflow run did.';
comment on column workflow_runs.root_workflow_run_id is 'The run at the top: the routing key of every workflow run below it.';
comment on column workflow_runs.planned_end is 'How the run ends after its compensations. Not null: it is compensating.';
comment on column workflow_runs.chain_depth is 'How many emitted events led to this run.';
comment on column workflow_runs.stopped is 'A run above it was canceled or has failed, and its own end follows.';
comment on column workflow_runs.pause_inherited is 'Paused because a run above it is, with which it resumes.';

create table step_runs (
  project_id uuid not null,
  id uuid not null,
  workflow_run_id uuid not null,
  step_ref text not null,
  position integer not null,
  type text not null,
  status text not null,
  prev_status text,
  generation integer not null default 1,
  output jsonb,
  error jsonb,
  cause text,
  cause_ref text,
  run_id uuid,
  event_trigger_id uuid,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  child_workflow_run_id uuid,
  input jsonb,
  completion integer,
  compensation_status text check (compensation_status in ('running', 'completed', 'failed')),
  compensations integer not null default 0,
  compensation_run_id uuid,
  compensation_error jsonb,
  compensated_at timestamptz(3),
  message text,
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
-- Compensations whose runs have ended while nothing progressed the workflow run.
create index step_runs_compensating_idx on step_runs (updated_at) where compensation_status = 'running';
comment on table step_runs is 'A step of a workflow run; written by flow under the lock of the workflow run.';
comment on column step_runs.position is 'Its position in the definition.';
comment on column step_runs.generation is 'Rises when the step is reset: what belongs to an older generation is stale.';
comment on column step_runs.cause is 'Why it was skipped or canceled; cause_ref is the step that caused it.';
comment on column step_runs.input is 'The rendered input. Kept for steps with a compensation, which outlives the runs of its job.';
comment on column step_runs.completion is 'For steps with a compensation: the ordinal of the decision that completed it. Compensations start from the highest.';
comment on column step_runs.compensations is 'How often a compensation was started: the step_generation of its run, so that none starts twice.';
comment on column step_runs.message is 'What an approval asks, rendered when it began to wait. Null: nothing, or it has not begun.';

create table map_steps (
  project_id uuid not null,
  workflow_run_id uuid not null,
  step_ref text not null,
  scope jsonb not null,
  total integer not null,
  pending integer not null,
  running integer not null,
  failed integer not null,
  next_index integer not null default 0,
  primary key (project_id, workflow_run_id, step_ref)
) with (fillfactor = 70);
comment on table map_steps is 'A map step that was started, with the counts of its items; written by flow under the lock of the workflow run.';
comment on column map_steps.scope is 'What the payload of the items reads of the run''s payload and of other steps, as it was at the start.';
comment on column map_steps.next_index is 'No item before it is pending.';

create table map_items (
  project_id uuid not null,
  workflow_run_id uuid not null,
  step_ref text not null,
  item_index integer not null,
  generation integer not null,
  status text not null,
  prev_status text,
  item jsonb not null,
  output jsonb,
  error jsonb,
  run_id uuid,
  child_workflow_run_id uuid,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, workflow_run_id, step_ref, item_index),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'canceled'))),
  constraint map_items_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', 'pending>running', 'pending>failed', 'pending>canceled', 'running>completed', 'running>failed',
     'running>canceled', 'failed>pending', 'canceled>pending')
  )
);
-- It has at most max_parallel entries per step, however many items there are.
create index map_items_running_idx on map_items (project_id, workflow_run_id, step_ref, item_index)
  where status = 'running';
comment on table map_items is 'An item of a map step; written by flow under the lock of the workflow run.';
comment on column map_items.generation is 'The generation of the step in which the item was last started.';

-- Daily partitions, dropped by age.
create table workflow_decisions (
  project_id uuid not null,
  workflow_run_id uuid not null,
  ordinal integer not null,
  step_ref text,
  decision_type text not null,
  reason text not null,
  detail jsonb,
  created_at timestamptz(3) not null,
  decided_by text,
  decided_by_id text,
  primary key (project_id, workflow_run_id, ordinal, created_at)
) partition by range (created_at);
create index workflow_decisions_created_at_idx on workflow_decisions using brin (created_at)
  with (pages_per_range = 32, autosummarize = on);
create table workflow_decisions_rest partition of workflow_decisions default;
comment on table workflow_decisions is 'A decision about a workflow run with its reason; inserted by flow as it is made.';
comment on column workflow_decisions.decided_by is 'Who asked for it; null: the service itself.';
comment on table workflow_decisions_rest is 'Decisions of days without a partition; PostgreSQL puts them here.';
