-- What a project used, by calendar month (UTC): booked from the log when a dispatch ends, never taken back.
create table usage_periods (
  project_id uuid not null,
  period_starts_at timestamptz(3) not null,
  -- Runs that ended, by how.
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

-- What the last 100 runs of a job cost, and what 95 of them did not pass: so much is reserved for the next.
create table job_costs (
  project_id uuid not null,
  job_id uuid not null,
  recent bigint[] not null,
  p95_microusd bigint not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, job_id)
) with (fillfactor = 50);

-- Held of a budget for one run, until its cost is booked. Only projects whose budget blocks have any.
-- Written under the lock of the budget alone, whose reserved_microusd is the sum of them.
create table budget_reservations (
  project_id uuid not null,
  run_id uuid not null,
  microusd bigint not null check (microusd >= 0),
  created_at timestamptz(3) not null,
  primary key (project_id, run_id)
);

alter table project_budgets
  -- Percents that were told of in this period.
  add column raised_thresholds integer[] not null default '{}',
  -- The first run of this period that was refused or parked.
  add column blocked_at timestamptz(3),
  add column reconciled_at timestamptz(3);

-- Who wants the e-mail about a month. `caller`: "key:<id>", "member:<subject>" or "internal".
create table usage_email_preferences (
  project_id uuid not null,
  caller text not null,
  monthly_usage_email boolean not null,
  email text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, caller)
);

-- One for each period and address: the outbox of those e-mails.
create table usage_emails (
  project_id uuid not null,
  period_starts_at timestamptz(3) not null,
  email text not null,
  status text not null check (status in ('pending', 'sent', 'failed')),
  prev_status text,
  tries integer not null default 0,
  -- When it is sent, or tried again, or, while somebody sends it, believed to be lost.
  next_try_at timestamptz(3) not null,
  error text,
  sent_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (project_id, period_starts_at, email)
);
create index usage_emails_next_try_idx on usage_emails (next_try_at) where status = 'pending';
