-- What a run tells of itself through the SDK.

create table run_logs (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  attempt integer not null,
  level text not null check (level in ('debug', 'info', 'warn', 'error')),
  message text not null,
  fields jsonb,
  logged_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, created_at, id)
) partition by range (created_at);
create table run_logs_rest partition of run_logs default;
create index run_logs_created_at_idx on run_logs (project_id, created_at, id);

create table run_checkpoints (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  attempt integer not null,
  state jsonb not null,
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, id)
);

create table run_usage (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  attempt integer not null,
  provider text,
  model text,
  input_tokens bigint,
  output_tokens bigint,
  cost_microusd bigint not null default 0,
  metadata jsonb,
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, id)
);

create table run_tool_calls (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  attempt integer not null,
  name text not null,
  status text not null check (status in ('completed', 'failed')),
  input jsonb,
  output jsonb,
  error text,
  duration_ms integer,
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, id)
);

create table run_outputs (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  attempt integer not null,
  name text not null,
  value jsonb not null,
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, id)
);
