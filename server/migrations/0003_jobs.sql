create table jobs (
  project_id uuid not null references projects (id),
  id uuid not null,
  slug text not null,
  name text not null,
  description text,
  environment_id uuid,
  tags jsonb not null default '{}',
  enabled boolean not null default true,
  paused_at timestamptz(3),
  max_concurrency integer,
  max_concurrency_per_key integer,
  rate_limit_max integer,
  rate_limit_window_secs integer,
  rate_limit_keys jsonb not null default '[]',
  is_limited boolean not null generated always as (
    max_concurrency is not null or max_concurrency_per_key is not null
    or rate_limit_max is not null or rate_limit_keys <> '[]'::jsonb
  ) stored,
  cron text,
  timezone text not null default 'UTC',
  cron_overlap_policy text not null default 'allow' check (cron_overlap_policy in ('allow', 'skip', 'cancel_running')),
  dedup_window_secs integer,
  debounce_window_secs integer,
  run_ttl_secs integer,
  priority integer not null default 0,
  estimated_cost_microusd bigint,
  cancel_on jsonb not null default '[]',
  version integer not null,
  version_id uuid not null,
  revision integer not null default 1,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (project_id, id),
  foreign key (project_id, environment_id) references environments (project_id, id),
  check ((rate_limit_max is null) = (rate_limit_window_secs is null))
);
create unique index jobs_slug_idx on jobs (project_id, slug) where deleted_at is null;
create index jobs_created_at_idx on jobs (project_id, created_at, id) where deleted_at is null;
-- Those that retention removes.
create index jobs_deleted_at_idx on jobs (deleted_at) where deleted_at is not null;
create index jobs_environment_idx on jobs (environment_id, project_id);
comment on table jobs is 'A job with its live settings (limits, schedule, switches); written by the API of jobs.';
comment on column jobs.is_limited is 'The claim takes runs of unlimited jobs without reading a counter.';
comment on column jobs.revision is 'Rises with every change. A trigger that was prepared from an older revision is prepared again, so caches are never wrong.';
comment on column jobs.deleted_at is 'A job with runs is only marked: its history stays readable.';

create table job_versions (
  project_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  version integer not null,
  endpoint_url text not null,
  host text not null,
  headers bytea not null,
  timeout_secs integer not null,
  heartbeat_timeout_secs integer not null,
  max_attempts integer not null,
  retry_strategy text not null check (retry_strategy in ('exponential', 'linear', 'fixed', 'custom')),
  retry_delays_secs integer[],
  default_run_metadata jsonb not null default '{}',
  payload_schema jsonb,
  result_schema jsonb,
  max_cost_microusd bigint,
  on_failure_job_id uuid,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  primary key (project_id, id),
  unique (project_id, job_id, version),
  foreign key (project_id, job_id) references jobs (project_id, id) on delete cascade,
  check ((retry_strategy = 'custom') = (retry_delays_secs is not null))
);
create index job_versions_created_at_idx on job_versions (project_id, job_id, created_at, id);
comment on table job_versions is 'How runs of a job behave; inserted by the API of jobs, never changed.';
comment on column job_versions.host is 'host:port of the endpoint: runs queue per project and host.';
comment on column job_versions.headers is 'The whole object as JSON, encrypted with the project''s data key.';

create table job_dependencies (
  project_id uuid not null,
  job_id uuid not null,
  depends_on_job_id uuid not null,
  condition text not null check (condition in ('completed', 'ended')),
  created_at timestamptz(3) not null,
  primary key (project_id, job_id, depends_on_job_id),
  foreign key (project_id, job_id) references jobs (project_id, id) on delete cascade,
  foreign key (project_id, depends_on_job_id) references jobs (project_id, id) on delete cascade,
  check (job_id <> depends_on_job_id)
);
create index job_dependencies_other_idx on job_dependencies (project_id, depends_on_job_id);
comment on table job_dependencies is 'A job whose newest active run a new run of another job waits for; written by the API of jobs.';
