alter table job_versions add column delivery text not null default 'push' check (delivery in ('push', 'pull'));
alter table job_versions alter column endpoint_url drop not null;
comment on column job_versions.host is 'host:port of the endpoint: runs queue per project and host. `pull:` for workers: then per project, job and environment.';

create index job_versions_pull_idx on job_versions (project_id, job_id) where delivery = 'pull';

alter table run_queue add column worker_id text;
alter table run_queue add column claim_id uuid;
create index run_queue_worker_idx on run_queue (project_id, worker_id) where worker_id is not null;
comment on column run_queue.worker_id is 'The worker that holds the lease. Null: an instance of the service does, or nobody.';
comment on column run_queue.claim_id is 'The request with which the worker claimed the run: repeated, it returns the run again.';

create table workers (
  project_id uuid not null,
  worker_id text not null,
  id uuid not null,
  name text,
  version text,
  labels jsonb not null default '{}',
  concurrency integer,
  queues text[],
  jobs text[],
  api_key_id uuid,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (project_id, worker_id)
);
create index workers_last_seen_idx on workers (last_seen_at);
comment on table workers is 'A process that claims runs; written when it claims or sends heartbeats, removed when it was not seen for a minute.';
