create table queues (
  project_id uuid not null references projects (id),
  id uuid not null,
  name text not null,
  description text,
  max_concurrency integer,
  rate_limit_max integer,
  rate_limit_window_secs integer,
  weight integer not null default 100 check (weight between 1 and 1000),
  paused_at timestamptz(3),
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  unique (project_id, name),
  check ((rate_limit_max is null) = (rate_limit_window_secs is null))
);
create index queues_created_at_idx on queues (project_id, created_at, id);
comment on table queues is 'Limits and a pause that several jobs share; written by the API of queues, the queue `default` with its project.';

insert into queues (project_id, id, name, created_by, created_at, updated_at)
select id, gen_random_uuid(), 'default', 'service', clock(), clock() from projects;

alter table jobs add column queue text not null default 'default';
alter table jobs add column queue_needs_check boolean not null default false;
create index jobs_queue_idx on jobs (project_id, queue) where queue <> 'default';
comment on column jobs.queue is 'The name of its queue, which exists: a queue with jobs is not deleted.';
comment on column jobs.queue_needs_check is 'Its queue has limits or is paused. A change of the queue sets it, and raises the revision of its jobs.';

-- A rate limit of a queue belongs to no job.
alter table rate_windows alter column job_id drop not null;

alter table api_keys add column queues text[];
comment on column api_keys.queues is 'The queues that workers with this key may serve. Null: all.';
