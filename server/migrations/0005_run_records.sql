-- What runs report about themselves through the SDK.

-- Daily partitions, dropped by age.
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
comment on table run_logs is 'A log line of a run; inserted by the API when the run sends it.';
comment on column run_logs.logged_at is 'When the run wrote the line; created_at is when the service received it.';
comment on table run_logs_rest is 'Log lines of days without a partition; PostgreSQL puts them here.';

create table run_checkpoints (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  attempt integer not null,
  state jsonb not null,
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, id)
);
comment on table run_checkpoints is 'A checkpoint that a run saved; inserted by the API when the run sends it.';

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
comment on table run_usage is 'Tokens and cost that a run reported; inserted by the API when the run sends it.';

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
comment on table run_tool_calls is 'A tool call of an agent that a run reported; inserted by the API when the run sends it.';

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
comment on table run_outputs is 'A named output of a run in addition to its result; inserted by the API when the run sends it.';

-- The search index of runs. A background task reads the changelog and indexes runs that have ended, 128 of a project and
-- status in one block, with a hash of everything they can be found by. A search reads the blocks that have all
-- hashes, and then the runs themselves, which alone decide. Creating and moving runs writes nothing here.
create table run_blocks (
  project_id uuid not null,
  id uuid not null,
  status text not null check (status in ('completed', 'failed', 'timed_out', 'canceled')),
  newest_id uuid not null,
  oldest_id uuid not null,
  run_ids uuid[] not null,
  terms integer[],
  indexed_at timestamptz(3) not null,
  marks bytea,
  primary key (project_id, id)
) with (toast_tuple_target = 128);
-- Random numbers do not compress.
alter table run_blocks
  alter column run_ids set storage external, alter column terms set storage external,
  alter column marks set storage external;
create index run_blocks_newest_idx on run_blocks (project_id, status, newest_id, oldest_id);
create index run_blocks_oldest_idx on run_blocks (project_id, status, oldest_id, newest_id);
create index run_blocks_terms_idx on run_blocks using gin (terms);
create index run_blocks_whole_idx on run_blocks (project_id, status, newest_id) where terms is null;
create index run_blocks_indexed_at_idx on run_blocks (indexed_at);
comment on table run_blocks is 'A block of the search index, with up to 128 runs that ended; inserted by the background task that indexes runs.';
comment on column run_blocks.terms is 'Hashes of all terms in the block. Null: too many to list, so its runs are always read.';
comment on column run_blocks.marks is 'A Bloom filter for each run, in the order of run_ids: 256 bits, of which each term sets three.';

create table unindexed_runs (
  project_id uuid not null,
  run_id uuid not null,
  ended_status text,
  living_status text not null default 'unknown',
  terms integer[],
  primary key (project_id, run_id)
);
create index unindexed_runs_ended_idx on unindexed_runs (project_id, ended_status, run_id) where ended_status is not null;
create index unindexed_runs_living_idx on unindexed_runs (project_id, living_status, run_id) where ended_status is null;
create index unindexed_runs_undescribed_idx on unindexed_runs (run_id)
  where terms is null and ended_status is null and living_status in ('waiting', 'paused');
comment on table unindexed_runs is 'A run that the search index lists by itself: it has not ended, or does not fill a block yet; written by the same task.';
comment on column unindexed_runs.living_status is 'The status of an active run when it was last indexed; what has moved since is read anyway.';
comment on column unindexed_runs.terms is 'Hashes of a run that waits, perhaps for months, so that a search skips it without reading it. Null: not computed yet. Empty: too many terms, or the run is gone.';
