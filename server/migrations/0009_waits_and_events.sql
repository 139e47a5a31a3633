create table event_triggers (
  project_id uuid not null,
  id uuid not null,
  -- "C": a prefix is a range of the index.
  event_key text collate "C" not null,
  environment_id uuid not null,
  source_type text not null check (source_type in ('workflow_step', 'job_run')),
  trigger_type text not null check (trigger_type in ('event', 'sleep')),
  wait_kind text not null check (wait_kind in ('event', 'sleep', 'child', 'approval')),
  workflow_run_id uuid,
  workflow_step_run_id uuid,
  generation integer,
  job_run_id uuid,
  ordinal integer,
  child_run_id uuid,
  status text not null,
  prev_status text,
  timeout_secs integer,
  payload jsonb,
  error jsonb,
  notify_url text,
  sent_by text,
  sent_by_id text,
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
-- One wait per key. Ended ones have an index of their own: a row is in one of the two.
create unique index event_triggers_waiting_key_idx on event_triggers (project_id, event_key)
  where status = 'waiting' and wait_kind = 'event';
create index event_triggers_ended_key_idx on event_triggers (project_id, event_key, id)
  where status <> 'waiting' and wait_kind = 'event';
-- Finds the few of a state among a million others. It does not begin with the project, or a plan that was made while the
-- table was empty would take it for the key.
create index event_triggers_status_idx on event_triggers (status, project_id, id);
create index event_triggers_ended_idx on event_triggers (finished_at) where status <> 'waiting';
create index event_triggers_job_run_idx on event_triggers (project_id, job_run_id, ordinal) where job_run_id is not null;
create index event_triggers_workflow_run_idx on event_triggers (project_id, workflow_run_id, id)
  where workflow_run_id is not null;
create index event_triggers_send_idx on event_triggers (project_id, send_id) where send_id is not null;
-- The waits of one project that end soonest are read in its order too. It has the project so that waits of others, of
-- which a million may end before, are skipped within the index: 50 ms, not 4.7 s.
create index event_triggers_soonest_idx on event_triggers (expires_at, id, project_id) where status = 'waiting';
create index event_triggers_due_in_turn_idx on event_triggers (project_id, expires_at) where status = 'waiting';
-- Rows arrive in order of time: those of the last minutes are found in a few pages, at no cost to the writer.
create index event_triggers_created_at_idx on event_triggers using brin (created_at) with (autosummarize = on);
comment on table event_triggers is 'A wait of a run or step: for an event, a time, a child run or an approval; written by flow when it is opened and resolved.';
comment on column event_triggers.wait_kind is 'Only `event` has a key of the user''s; the others have one made of their own id.';
comment on column event_triggers.generation is 'Of the step run, when it began to wait.';
comment on column event_triggers.ordinal is 'Numbers the waits of a run from 1.';
comment on column event_triggers.child_run_id is 'The child for whose end the run waits.';
comment on column event_triggers.send_id is 'The prefix send that resolved it, if the send may be repeated.';

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
comment on table event_trigger_counts is 'A share of the counts of a project''s event triggers, so that writers do not wait for one row; written by flow with the triggers.';
comment on column event_trigger_counts.active is 'What the quota limits: waits for events of users.';

create table buffered_events (
  project_id uuid not null,
  id uuid not null,
  event_key text collate "C" not null,
  payload jsonb,
  sent_by text not null,
  sent_by_id text,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  primary key (project_id, id)
);
create index buffered_events_key_idx on buffered_events (project_id, event_key, id);
create index buffered_events_expires_idx on buffered_events (expires_at);
comment on table buffered_events is 'An event that was sent before anything waited for it, to be kept on request; inserted by the send, deleted by the wait that takes it, first in, first out.';

create table cancel_keys (
  project_id uuid not null,
  event_key text collate "C" not null,
  owner_id uuid not null,
  owner_kind text not null check (owner_kind in ('run', 'workflow_run')),
  environment_id uuid not null,
  created_at timestamptz not null,
  check_at timestamptz(3) not null,
  primary key (project_id, event_key, owner_id)
);
create index cancel_keys_owner_idx on cancel_keys (project_id, owner_id);
create index cancel_keys_check_idx on cancel_keys (check_at);
comment on table cancel_keys is 'An event key that cancels a run, for jobs and workflows with cancel_on; inserted by flow with the run.';
comment on column cancel_keys.created_at is 'In microseconds: an event cancels the runs that existed when it was sent.';
comment on column cancel_keys.check_at is 'When the sweep checks whether the run has ended.';

create table event_sources (
  project_id uuid not null references projects (id),
  id uuid not null,
  slug text not null,
  name text not null,
  description text,
  signature text not null check (signature in ('none', 'hmac', 'github', 'stripe')),
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  payload_schema jsonb,
  revision integer not null default 1,
  dedup_window_secs integer not null,
  enabled boolean not null,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  unique (project_id, slug),
  check ((signature = 'none') = (secret is null))
);
-- A webhook has no credentials: its path determines the project.
create index event_sources_id_idx on event_sources (id);
comment on table event_sources is 'A source of events that start runs; written by the API of event sources.';
comment on column event_sources.secret is 'Encrypted. Null: the source accepts nothing from outside.';
comment on column event_sources.revision is 'Rises with every change of the schema: the compiled schema is cached under it.';

create table event_subscriptions (
  project_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  job_id uuid,
  workflow_id uuid,
  filter text,
  payload jsonb,
  concurrency_key text,
  environment_id uuid,
  enabled boolean not null,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  foreign key (project_id, source_id) references event_sources (project_id, id) on delete cascade,
  foreign key (project_id, environment_id) references environments (project_id, id) on delete cascade,
  check ((job_id is null) <> (workflow_id is null))
);
create index event_subscriptions_source_idx on event_subscriptions (project_id, source_id, created_at, id);
comment on table event_subscriptions is 'A job or workflow that events of a source start; written by the API of event sources.';
comment on column event_subscriptions.payload is 'A template. Null: the payload of the event.';

create table source_events (
  project_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  event_id text,
  type text,
  via text not null check (via in ('dispatch', 'inbound')),
  status text not null check (status in ('dispatched', 'rejected')),
  payload jsonb not null,
  metadata jsonb not null,
  error jsonb,
  results jsonb not null,
  matched integer not null,
  started integer not null,
  failed integer not null,
  chain_depth integer not null,
  parent_run_id uuid,
  replay_of uuid,
  received_by text not null,
  received_by_id text,
  created_at timestamptz(3) not null,
  primary key (project_id, id)
);
create index source_events_source_idx on source_events (project_id, source_id, created_at, id);
create index source_events_created_idx on source_events (created_at);
comment on table source_events is 'An event that a source received, with the runs it started; inserted by flow when it is dispatched or rejected.';
comment on column source_events.event_id is 'The sender''s own id of the event.';
comment on column source_events.chain_depth is 'How many events led to it, itself included.';

create table source_event_ids (
  project_id uuid not null,
  source_id uuid not null,
  name text not null,
  source_event_id uuid not null,
  expires_at timestamptz(3) not null,
  primary key (project_id, source_id, name)
);
create index source_event_ids_expires_idx on source_event_ids (expires_at);
comment on table source_event_ids is 'The sender''s id of an event that was received, for deduplication within the window of its source; inserted by flow with the event.';
