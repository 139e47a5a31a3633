create table schedules (
  project_id uuid not null references projects (id),
  id uuid not null,
  name text,
  job_id uuid,
  workflow_id uuid,
  is_default boolean not null default false,
  cron text not null,
  timezone text not null,
  payload jsonb not null default '{}',
  overlap_policy text not null check (overlap_policy in ('allow', 'skip', 'cancel_running')),
  environment_id uuid,
  paused_at timestamptz(3),
  next_fire_at timestamptz(3),
  last_fired_at timestamptz(3),
  last_run_id uuid,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  check ((job_id is null) <> (workflow_id is null))
);
create unique index schedules_default_job_idx on schedules (project_id, job_id) where is_default and job_id is not null;
create unique index schedules_default_workflow_idx on schedules (project_id, workflow_id)
  where is_default and workflow_id is not null;
create index schedules_job_idx on schedules (project_id, job_id);
create index schedules_workflow_idx on schedules (project_id, workflow_id) where workflow_id is not null;
create index schedules_created_at_idx on schedules (project_id, created_at, id);
create index schedules_due_idx on schedules (next_fire_at) where paused_at is null and next_fire_at is not null;
create index schedules_due_in_turn_idx on schedules (project_id, next_fire_at)
  where paused_at is null and next_fire_at is not null;
comment on table schedules is 'A cron schedule of a job or workflow; written by flow, for the API and whenever it fires.';
comment on column schedules.is_default is 'Made from the `cron` of the job or workflow; changed and removed with it.';
comment on column schedules.next_fire_at is 'Null: it never fires again.';

create table schedule_fires (
  project_id uuid not null,
  schedule_id uuid not null,
  scheduled_for timestamptz(3) not null,
  outcome text not null check (outcome in ('fired', 'skipped', 'missed', 'refused')),
  run_id uuid,
  reason text,
  created_at timestamptz(3) not null,
  primary key (project_id, schedule_id, scheduled_for),
  foreign key (project_id, schedule_id) references schedules (project_id, id) on delete cascade
);
create index schedule_fires_created_at_idx on schedule_fires (created_at);
comment on table schedule_fires is 'A time at which a schedule was due, and what happened; inserted by flow once per time, so that two instances cannot fire it twice.';
