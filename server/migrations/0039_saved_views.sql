-- Filters of lists under a name. Few per project, and read by people: no index beside the key.
create table saved_views (
  project_id uuid not null references projects (id),
  id uuid not null,
  name text not null,
  resource text not null,
  query jsonb not null,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id)
);
