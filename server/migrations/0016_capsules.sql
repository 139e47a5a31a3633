-- Workflow runs of other installations, to be looked at and replayed. Never changed.
create table run_capsules (
  project_id uuid not null references projects (id),
  id uuid not null,
  -- Of the key that imported it; null: it was bound to none. A bound key sees those of its own environment.
  environment_id uuid,
  workflow_run_id uuid not null,
  workflow_id uuid not null,
  workflow_slug text not null,
  workflow_name text not null,
  version integer not null,
  status text not null,
  sha256 text not null,
  -- Canonical JSON as text: what is exported again is the same to the byte.
  document text not null,
  size_bytes integer not null,
  created_by text not null,
  created_at timestamptz(3) not null,
  primary key (project_id, id)
);
