create table workflows (
  project_id uuid not null references projects (id),
  id uuid not null,
  slug text not null,
  name text not null,
  description text,
  tags jsonb not null default '{}',
  enabled boolean not null default true,
  environment_id uuid,
  version_id uuid not null,
  current_version integer not null,
  version integer not null,
  max_concurrent_runs integer,
  cron text,
  timezone text not null default 'UTC',
  cron_overlap_policy text not null default 'allow' check (cron_overlap_policy in ('allow', 'skip', 'cancel_running')),
  on_failure_job_id uuid,
  cancel_on jsonb not null default '[]',
  revision integer not null default 1,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (project_id, id),
  foreign key (project_id, environment_id) references environments (project_id, id)
);
create unique index workflows_slug_idx on workflows (project_id, slug) where deleted_at is null;
create index workflows_created_at_idx on workflows (project_id, created_at, id) where deleted_at is null;
-- Those that retention removes.
create index workflows_deleted_at_idx on workflows (deleted_at) where deleted_at is not null;
create index workflows_environment_idx on workflows (environment_id, project_id);
comment on table workflows is 'A workflow with its live settings; written by the API of workflows.';
comment on column workflows.version_id is 'The version that new runs get; current_version is its number.';
comment on column workflows.version is 'The newest version, current or not.';
comment on column workflows.revision is 'Rises with every change that affects how runs start.';

create table workflow_versions (
  project_id uuid not null,
  id uuid not null,
  workflow_id uuid not null,
  version integer not null,
  steps jsonb not null,
  timeout_secs integer,
  max_parallel_steps integer,
  payload_schema jsonb,
  breaking_change boolean not null default false,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  author text,
  approved_by text,
  approved_at timestamptz(3),
  primary key (project_id, id),
  unique (project_id, workflow_id, version)
);
create index workflow_versions_created_at_idx on workflow_versions (project_id, workflow_id, created_at, id);
comment on table workflow_versions is 'A definition of a workflow; inserted by the API of workflows. What it runs never changes, and a run stays on its version.';
comment on column workflow_versions.author is 'The kind and id of the creator, which names do not share.';
comment on column workflow_versions.approved_by is 'Who besides its author made the version current; null: nobody.';

create table workflow_policies (
  project_id uuid primary key references projects (id),
  max_fan_out integer check (max_fan_out >= 1),
  max_depth integer check (max_depth >= 1),
  max_steps integer check (max_steps >= 1),
  forbidden_step_types text[] not null default '{}',
  require_approval_for_deploy boolean not null default false,
  updated_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
comment on table workflow_policies is 'What a project requires of its workflows; written by the API of workflow policies. No row: nothing.';

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
  traffic_since timestamptz(3) not null,
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
-- Those that the background task evaluates.
create index canaries_judged_at_idx on canaries (judged_at nulls first)
  where status = 'active' and auto_promote_config is not null;
comment on table canaries is 'A canary release: while it is active, a share of a workflow''s new runs gets the target version; written by the API and by the task that evaluates canaries.';
comment on column canaries.traffic_since is 'Since when the share has its current value.';
comment on column canaries.judged_at is 'When the task last evaluated it.';

create table run_capsules (
  project_id uuid not null references projects (id),
  id uuid not null,
  environment_id uuid,
  workflow_run_id uuid not null,
  workflow_id uuid not null,
  workflow_slug text not null,
  workflow_name text not null,
  version integer not null,
  status text not null,
  sha256 text not null,
  document text not null,
  size_bytes integer not null,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  primary key (project_id, id)
);
comment on table run_capsules is 'A workflow run of another installation, to inspect and replay; inserted by the import, never changed.';
comment on column run_capsules.environment_id is 'The environment to which the importing key is bound; null: none. A bound key sees those of its own environment.';
comment on column run_capsules.document is 'Canonical JSON as text: an export is the same to the byte.';
