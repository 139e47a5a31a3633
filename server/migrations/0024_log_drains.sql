-- Where a project's log lines are sent. A drain keeps its place in the log and nothing else: while its receiver is
-- away the lines stay where they are.
create table log_drains (
  project_id uuid not null references projects (id),
  id uuid not null,
  environment_id uuid,
  name text not null,
  url text not null,
  format text not null check (format in ('json', 'ndjson', 'otlp', 'loki')),
  auth_type text not null check (auth_type in ('none', 'bearer', 'basic', 'header')),
  -- The user of basic, the name of the header: what may be shown.
  auth_name text,
  credentials bytea,
  min_level text not null check (min_level in ('debug', 'info', 'warn', 'error')),
  job_ids uuid[],
  enabled boolean not null,
  -- Everything up to here has been sent, or will never be.
  after_xid xid8 not null,
  after_id uuid not null,
  floor_at timestamptz(3) not null,
  next_attempt_at timestamptz(3) not null,
  claim_token uuid,
  consecutive_failures integer not null default 0,
  last_status_code integer,
  last_error text,
  last_delivered_at timestamptz(3),
  delivered_count bigint not null default 0,
  dropped_count bigint not null default 0,
  refused_count bigint not null default 0,
  -- Of those dropped, so many the receiver has not been told of yet.
  dropped_untold bigint not null default 0,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  foreign key (project_id, environment_id) references environments (project_id, id)
);
create index log_drains_due_idx on log_drains (next_attempt_at) where enabled;
