-- While one is active, a share of a workflow's new runs takes its target version.
create table canaries (
  project_id uuid not null,
  id uuid not null,
  workflow_id uuid not null,
  source_version integer not null,
  source_version_id uuid not null,
  target_version integer not null,
  target_version_id uuid not null,
  traffic_pct integer not null check (traffic_pct between 0 and 100),
  status text not null default 'active',
  prev_status text,
  auto_promote_config jsonb,
  -- Since when the share is what it is.
  traffic_since timestamptz(3) not null,
  -- When the duty last looked at it.
  judged_at timestamptz(3),
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  completed_at timestamptz(3),
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade,
  check ((completed_at is null) = (status = 'active')),
  constraint canaries_moves check (
    (coalesce(prev_status, '') || '>' || status) in ('>active', 'active>promoted', 'active>rolled_back')
  )
);
create unique index canaries_active_idx on canaries (project_id, workflow_id) where status = 'active';
create index canaries_workflow_idx on canaries (project_id, workflow_id, created_at, id);
-- Those that the duty judges.
create index canaries_judged_at_idx on canaries (judged_at nulls first)
  where status = 'active' and auto_promote_config is not null;

-- The canary that chose the run's version; null: nothing was chosen.
alter table workflow_runs add column canary_id uuid;
-- Does not begin with the project, as the other indexes of the table.
create index workflow_runs_canary_idx on workflow_runs (canary_id, version_id, finished_at) where canary_id is not null;
