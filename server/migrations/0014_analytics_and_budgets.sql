-- Sums over time. They outlive the rows they were made of: retention never subtracts. Cost grows with the number of
-- buckets: minutes are kept for days, hours for a year, days forever.
create table rollups (
  project_id uuid not null,
  series text not null,
  split text not null,
  grain integer not null,
  bucket_at timestamptz(3) not null,
  subject_id uuid not null,
  environment_id uuid not null,
  part text not null,
  counts bigint[] not null,
  sketch bytea,
  sketch_packed integer not null default 0,
  primary key (project_id, series, split, grain, bucket_at, subject_id, environment_id, part)
) with (fillfactor = 70);
comment on table rollups is 'Counts of one series in one bucket of time; written by the consumers of the changelog that keep sums, and corrected by the reconcilers.';
comment on column rollups.series is 'What is counted: runs, workflows, errors, events, webhooks.';
comment on column rollups.split is 'By what it is split: all, job, job_version, trigger and others; subject_id and part have the value.';
comment on column rollups.grain is 'Seconds of a bucket; 0: all time.';
comment on column rollups.subject_id is 'A job, a workflow or a subscription; the nil id: all of them.';
comment on column rollups.environment_id is 'The nil id: in none.';
comment on column rollups.counts is 'In the order that `series.ts` defines.';
comment on column rollups.sketch is 'Durations as a histogram of logarithmic bins (`sketch.ts`): merged ones are as exact as one. Additions are appended, so that one statement writes a batch without reading.';
comment on column rollups.sketch_packed is 'The length of the sketch when it was last merged: past twice that it is merged again.';

create table error_groups (
  project_id uuid not null,
  job_id uuid not null,
  environment_id uuid not null,
  fingerprint uuid not null,
  step_ref text,
  http_status integer,
  code text,
  message text not null,
  run_ids uuid[] not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (project_id, job_id, environment_id, fingerprint)
);
create index error_groups_last_seen_idx on error_groups (last_seen_at);
comment on table error_groups is 'Failures with the same fingerprint; written by the consumer that counts errors.';
comment on column error_groups.message is 'Without numbers, names and ids, so that it reveals nothing about a run.';
comment on column error_groups.run_ids is 'The newest few.';

create table cost_rollups (
  project_id uuid not null,
  kind text not null check (
    kind in ('job', 'tag', 'concurrency_key', 'created_by', 'workflow', 'schedule', 'model')
  ),
  grain text not null check (grain in ('1m', '1h', '1d')),
  starts_at timestamptz(3) not null,
  environment_id uuid not null,
  job_id uuid not null,
  part text not null check (part in ('named', 'none', 'other')),
  name text not null default '',
  value text not null default '',
  reported_microusd bigint not null default 0,
  compute_microusd bigint not null default 0,
  wall_ms bigint not null default 0,
  longest_ms bigint not null default 0,
  dispatch_reported_microusd bigint not null default 0,
  busy_ms bigint not null default 0,
  dispatches bigint not null default 0,
  reports bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  primary key (project_id, kind, grain, starts_at, environment_id, job_id, part, name, value)
);
comment on table cost_rollups is 'What runs of a job cost in one bucket of time, by one group; written by the consumer that sums costs. Rows grow with days, jobs and groups, not with runs.';
comment on column cost_rollups.kind is 'What the row is grouped by besides its job. Of `job`: by how its dispatches ended.';
comment on column cost_rollups.grain is 'Buckets shorter than a day exist only for jobs, and for a while.';
comment on column cost_rollups.part is '`none`: without such a name. `other`: names beyond those that a day lists.';
comment on column cost_rollups.wall_ms is 'How long the dispatches that ended in the bucket took; longest_ms is the longest of them, dispatch_reported_microusd what they reported.';
comment on column cost_rollups.busy_ms is 'The time of all dispatches that lies within the bucket, whenever they ended.';

create table compute_rate_changes (
  project_id uuid not null,
  until timestamptz(3) not null,
  compute_rate_microusd_per_sec bigint not null,
  primary key (project_id, until)
);
comment on table compute_rate_changes is 'A former compute rate of a project, valid until then; inserted by the API of projects. What was settled before keeps its price.';

create table project_budgets (
  project_id uuid primary key references projects (id),
  monthly_budget_microusd bigint,
  action text not null check (action in ('notify', 'block')),
  thresholds integer[] not null,
  period_starts_at timestamptz(3) not null,
  settled_microusd bigint not null default 0,
  reserved_microusd bigint not null default 0 check (reserved_microusd >= 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  raised_thresholds integer[] not null default '{}',
  blocked_at timestamptz(3),
  reconciled_at timestamptz(3)
);
comment on table project_budgets is 'What a project may still spend; written by flow, which reserves in the transaction that creates a run. No row: no budget.';
comment on column project_budgets.reserved_microusd is 'The sum of the project''s budget_reservations.';
comment on column project_budgets.raised_thresholds is 'Percentages that were reported in this period.';
comment on column project_budgets.blocked_at is 'When the first run of this period was refused or blocked.';

create table budget_reservations (
  project_id uuid not null,
  run_id uuid not null,
  microusd bigint not null check (microusd >= 0),
  created_at timestamptz(3) not null,
  primary key (project_id, run_id)
);
comment on table budget_reservations is 'What is reserved of a blocking budget for one run until its cost is settled; written by flow under the lock of the budget.';

create table job_costs (
  project_id uuid not null,
  job_id uuid not null,
  recent bigint[] not null,
  p95_microusd bigint not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, job_id)
) with (fillfactor = 50);
comment on table job_costs is 'What the last 100 runs of a job cost; written by flow when costs are settled.';
comment on column job_costs.p95_microusd is 'What is reserved for the next run: 95 of 100 did not exceed it.';

create table usage_periods (
  project_id uuid not null,
  period_starts_at timestamptz(3) not null,
  completed bigint not null default 0,
  failed bigint not null default 0,
  timed_out bigint not null default 0,
  canceled bigint not null default 0,
  dispatches bigint not null default 0,
  compute_ms bigint not null default 0,
  compute_microusd bigint not null default 0,
  reported_microusd bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  updated_at timestamptz(3) not null,
  primary key (project_id, period_starts_at)
) with (fillfactor = 50);
comment on table usage_periods is 'What a project used in a calendar month (UTC); written by flow from the changelog. Counters only grow.';
comment on column usage_periods.completed is 'Runs that ended so, as in failed, timed_out and canceled.';

create table usage_email_preferences (
  project_id uuid not null,
  caller text not null,
  monthly_usage_email boolean not null,
  email text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, caller)
);
comment on table usage_email_preferences is 'Whether a caller wants the monthly usage e-mail; written by the API of usage.';
comment on column usage_email_preferences.caller is 'key:<id>, member:<subject> or internal.';

create table usage_emails (
  project_id uuid not null,
  period_starts_at timestamptz(3) not null,
  email text not null,
  status text not null check (status in ('pending', 'sent', 'failed')),
  prev_status text,
  tries integer not null default 0,
  next_try_at timestamptz(3) not null,
  error text,
  sent_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (project_id, period_starts_at, email)
);
create index usage_emails_next_try_idx on usage_emails (next_try_at) where status = 'pending';
comment on table usage_emails is 'A usage e-mail of a month to one address; written by the background tasks that plan and send them.';
comment on column usage_emails.next_try_at is 'When it is sent or tried again; while an instance sends it, when that attempt counts as lost.';
