-- One durable execution of a job. No foreign keys: parents are checked in code, hot rows are not locked by children.
create table runs (
  project_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  job_version_id uuid not null,
  environment_id uuid not null,
  status text not null,
  prev_status text,
  -- How often the status has changed: numbers the rows of run_transitions.
  moves integer not null default 1,
  -- Rises at every claim and never repeats: the fence, and X-Svc-Attempt.
  attempt integer not null default 0,
  -- What max_attempts bounds.
  tries_used integer not null default 0,
  -- Leases lost without an answer. Three end the run, whatever max_attempts says.
  crash_count integer not null default 0,
  max_attempts integer not null,
  timeout_secs integer not null,
  priority integer not null default 0,
  payload jsonb not null,
  metadata jsonb not null default '{}',
  tags jsonb not null default '{}',
  result jsonb,
  error jsonb,
  -- Given by the SDK: the last saved checkpoint, and how far the run is.
  state jsonb,
  progress jsonb,
  -- The payload of the event that resumed the run.
  checkpoint jsonb,
  concurrency_key text,
  idempotency_key text,
  dedup_hash bytea,
  debounced integer not null default 0,
  batch_id uuid,
  created_by text not null,
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
  -- Held of the project's budget until the run ends.
  reserved_microusd bigint not null default 0,
  scheduled_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  -- On the dead-letter list since; null again when it is replayed or discarded.
  dead_lettered_at timestamptz(3),
  -- A replay took it off that list: a dead letter is replayed once.
  replayed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
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
-- No index names status: a change of status then rewrites no index entry (HOT).
-- Nor does a second whole index begin with the project: with no statistics yet, the planner takes it for as good as
-- the key, and a plan that is kept then walks the project's runs for each one.
create index runs_job_idx on runs (job_id, id);
create index runs_parent_idx on runs (project_id, parent_run_id, id) where parent_run_id is not null;
create index runs_batch_idx on runs (project_id, batch_id, id) where batch_id is not null;
create index runs_schedule_idx on runs (project_id, schedule_id, id) where schedule_id is not null;
create index runs_replay_idx on runs (project_id, replay_of) where replay_of is not null;
create index runs_dead_letter_idx on runs (project_id, id) where dead_lettered_at is not null;
create index runs_dedup_idx on runs (project_id, job_id, environment_id, dedup_hash, created_at)
  where dedup_hash is not null;

-- What is to be started, or runs under a lease. Narrow, so that a million rows beside the due ones cost nothing.
create table run_queue (
  project_id uuid not null,
  run_id uuid not null,
  job_id uuid not null,
  host text not null,
  -- Place in line: when it became due, a minute ahead for each point of priority.
  rank_at timestamptz not null,
  -- Place in line among the keys of its job, before priority. Only for runs with a concurrency key.
  line_at timestamptz,
  run_at timestamptz(3) not null,
  concurrency_key text,
  -- Why it is not claimable; null when it is.
  parked_on text,
  -- Triggers that share it are one run, until it is claimed.
  debounce_key text,
  -- Not started by then: canceled.
  expires_at timestamptz(3),
  timeout_secs integer not null,
  lease_until timestamptz(3),
  lease_token uuid,
  -- Whoever renews the lease. Null while the run itself does (accepted with 202).
  instance_id uuid,
  accepted_at timestamptz(3),
  deadline timestamptz(3),
  heartbeat_timeout_secs integer,
  -- Keys of the concurrency counters it holds.
  slots text[],
  primary key (project_id, run_id),
  check ((lease_until is null) = (lease_token is null)),
  check (lease_until is null or parked_on is null)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index run_queue_claim_idx on run_queue (project_id, host, rank_at, run_id)
  where lease_until is null and parked_on is null;
create index run_queue_parked_idx on run_queue (project_id, parked_on, rank_at, run_id)
  where parked_on is not null and parked_on <> 'not_due';
create index run_queue_due_idx on run_queue (run_at) where parked_on = 'not_due';
create index run_queue_lease_idx on run_queue (lease_until) where lease_until is not null;
create index run_queue_line_idx on run_queue (project_id, job_id, line_at)
  where line_at is not null and lease_until is null;
create index run_queue_key_line_idx on run_queue (project_id, job_id, concurrency_key, line_at)
  where line_at is not null and lease_until is null;
create unique index run_queue_debounce_idx on run_queue (project_id, debounce_key) where debounce_key is not null;
create index run_queue_expires_idx on run_queue (expires_at) where expires_at is not null and lease_until is null;

-- How many runs hold a slot of a concurrency limit: `job:<job>` or `key:<job>:<key>`.
create table concurrency_counters (
  project_id uuid not null,
  key text not null,
  active integer not null default 0 check (active >= 0),
  primary key (project_id, key)
) with (fillfactor = 50);

-- Starts in the last window of a rate limit, in 61 slots: `rate:<job>:<name>:<key>`.
create table rate_windows (
  project_id uuid not null,
  key text not null,
  job_id uuid not null,
  window_secs integer not null,
  starts integer[] not null,
  last_slot bigint not null,
  -- While runs are parked on it: when the next may start.
  next_at timestamptz(3),
  updated_at timestamptz(3) not null,
  primary key (project_id, key)
) with (fillfactor = 50);
create index rate_windows_next_idx on rate_windows (next_at) where next_at is not null;

-- A host that fails. Open: its runs are parked, and one is let through now and then to try it.
create table circuits (
  project_id uuid not null,
  host text not null,
  status text not null check (status in ('open', 'closed')),
  good_probes integer not null default 0,
  probe_at timestamptz(3),
  opened_at timestamptz(3),
  reason text,
  updated_at timestamptz(3) not null,
  primary key (project_id, host)
);
create index circuits_probe_idx on circuits (probe_at) where status = 'open';

create table idempotency_keys (
  project_id uuid not null,
  -- The job or workflow.
  target_id uuid not null,
  environment_id uuid not null,
  key text not null,
  body_hash bytea not null,
  run_id uuid not null,
  expires_at timestamptz(3) not null,
  primary key (project_id, target_id, environment_id, key)
);
create index idempotency_keys_expires_idx on idempotency_keys (expires_at);

-- What may still be spent. No row: no budget. Admission reserves here, in the transaction that creates the run.
create table project_budgets (
  project_id uuid primary key references projects (id),
  monthly_budget_microusd bigint,
  action text not null check (action in ('notify', 'block')),
  thresholds integer[] not null,
  period_starts_at timestamptz(3) not null,
  settled_microusd bigint not null default 0,
  reserved_microusd bigint not null default 0 check (reserved_microusd >= 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- One row per transition, written with it. Daily partitions, dropped by age.
create table run_transitions (
  project_id uuid not null,
  run_id uuid not null,
  ordinal integer not null,
  from_status text,
  to_status text not null,
  cause text not null,
  attempt integer not null,
  detail jsonb,
  -- The writer's transaction, for readers that follow the log without missing late commits.
  xid xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, ordinal, created_at)
) partition by range (created_at);
-- Rows come in order of time: a range of time is found by a few pages, at no cost to the writer.
create index run_transitions_created_at_idx on run_transitions using brin (created_at) with (pages_per_range = 32, autosummarize = on);
create table run_transitions_rest partition of run_transitions default;

-- "<run id>:<ordinal>" of the transition.
alter table effects alter column transition_id type text;

-- A hundred items of a bulk trigger are written in one statement: checking the parent for each was half its cost.
alter table batch_items drop constraint batch_items_project_id_batch_id_fkey;
