-- What a project lets its workflows be. No row: everything.
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

alter table workflow_versions
  -- Who made it, in a form that names do not share: the kind of caller and its id. Null: older than this column.
  add column author text,
  -- Who else made it current; null while nobody but its author has. What it runs never changes.
  add column approved_by text,
  add column approved_at timestamptz(3);
