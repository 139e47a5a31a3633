-- Runs that start only after others have ended.

-- Which jobs a new run of a job waits for: their newest run that is active when it is created.
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

-- The runs that one run waits for. Written under the lock of the run that waits.
create table run_dependencies (
  project_id uuid not null,
  run_id uuid not null,
  depends_on_run_id uuid not null,
  depends_on_job_id uuid not null,
  condition text not null check (condition in ('completed', 'ended')),
  -- Asked for by name, or by a definition of the job.
  source text not null check (source in ('run', 'job')),
  -- How the other has ended; it may be removed after that. Null: it has not, as far as this run was told.
  ended_as text check (ended_as in ('completed', 'failed', 'timed_out', 'canceled')),
  settled_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (project_id, run_id, depends_on_run_id),
  check ((ended_as is null) = (settled_at is null))
);
create index run_dependencies_open_idx on run_dependencies (project_id, depends_on_run_id, run_id) where settled_at is null;

alter table runs
  -- Others wait for its end: the end notes an effect. Set under its lock, so that no end overlooks a dependent.
  add column has_dependents boolean not null default false,
  -- How many of its dependencies are open. In the queue it is parked on `dependency` while there is one.
  add column open_dependencies integer not null default 0 check (open_dependencies >= 0);
