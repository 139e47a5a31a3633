-- A wait is a row: for an event sent through the API, for a time, for a child run, for somebody's approval.
create table event_triggers (
  project_id uuid not null,
  id uuid not null,
  -- "C": a prefix is a range of the index.
  event_key text collate "C" not null,
  environment_id uuid not null,
  source_type text not null check (source_type in ('workflow_step', 'job_run')),
  trigger_type text not null check (trigger_type in ('event', 'sleep')),
  -- Only `event` has a key of the user's; the others carry one made of their own id.
  wait_kind text not null check (wait_kind in ('event', 'sleep', 'child', 'approval')),
  workflow_run_id uuid,
  workflow_step_run_id uuid,
  -- Of the step run, when it began to wait.
  generation integer,
  job_run_id uuid,
  -- Numbers the waits of a job run from 1.
  ordinal integer,
  -- The child whose end is awaited.
  child_run_id uuid,
  status text not null,
  prev_status text,
  timeout_secs integer,
  payload jsonb,
  error jsonb,
  notify_url text,
  sent_by text,
  -- The prefix send that resolved it, when it may be repeated.
  send_id uuid,
  expires_at timestamptz(3) not null,
  requested_at timestamptz(3) not null,
  received_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  check ((source_type = 'job_run') = (job_run_id is not null)),
  check ((source_type = 'workflow_step') = (workflow_step_run_id is not null)),
  check ((status = 'waiting') = (finished_at is null)),
  constraint event_triggers_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>waiting', '>received', 'waiting>received', 'waiting>timed_out', 'waiting>canceled')
  )
) with (fillfactor = 90);
-- One waiter per key. Ended ones have an index of their own: a row stands in one of the two.
create unique index event_triggers_waiting_key_idx on event_triggers (project_id, event_key)
  where status = 'waiting' and wait_kind = 'event';
create index event_triggers_ended_key_idx on event_triggers (project_id, event_key, id)
  where status <> 'waiting' and wait_kind = 'event';
-- The list of those in one state: the few of a state among a million others are not searched for. It does not begin with
-- the project, or a plan that was made while the table was empty would take it for the key.
create index event_triggers_status_idx on event_triggers (status, project_id, id);
create index event_triggers_expires_idx on event_triggers (expires_at) where status = 'waiting';
create index event_triggers_ended_idx on event_triggers (finished_at) where status <> 'waiting';
create index event_triggers_job_run_idx on event_triggers (project_id, job_run_id, ordinal) where job_run_id is not null;
create index event_triggers_workflow_run_idx on event_triggers (project_id, workflow_run_id, id)
  where workflow_run_id is not null;
create index event_triggers_send_idx on event_triggers (project_id, send_id) where send_id is not null;

-- How many triggers a project has, in a few rows so that writers do not queue behind one. `active` is what the quota
-- bounds: waits for events of users.
create table event_trigger_counts (
  project_id uuid not null,
  shard smallint not null,
  active integer not null default 0,
  waiting integer not null default 0,
  received integer not null default 0,
  timed_out integer not null default 0,
  canceled integer not null default 0,
  primary key (project_id, shard)
) with (fillfactor = 50);

-- Events that came before their waiter, by wish of the sender. First in, first out.
create table buffered_events (
  project_id uuid not null,
  id uuid not null,
  event_key text collate "C" not null,
  payload jsonb,
  sent_by text not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  primary key (project_id, id)
);
create index buffered_events_key_idx on buffered_events (project_id, event_key, id);
create index buffered_events_expires_idx on buffered_events (expires_at);

alter table runs
  -- How many waits it has opened.
  add column waits integer not null default 0,
  -- The trigger with which its parent waits for its end.
  add column awaited_by uuid,
  -- What the steps before gave, as of its birth.
  add column parent_outputs jsonb,
  -- Of the step run it belongs to.
  add column step_generation integer;
-- A step starts once per generation.
create unique index runs_step_idx on runs (project_id, workflow_run_id, step_ref, step_generation)
  where workflow_run_id is not null;
