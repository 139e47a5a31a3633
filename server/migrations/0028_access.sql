-- Roles that a project has made for itself; those of the service are constants in the code, with ids of their own.
create table roles (
  project_id uuid not null references projects (id),
  id uuid not null,
  name text not null,
  description text,
  permissions text[] not null,
  parent_role_id uuid,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id)
);
create unique index roles_name_idx on roles (project_id, name);
create index roles_parent_idx on roles (project_id, parent_role_id) where parent_role_id is not null;

-- People, by the subject that their identity provider gives them.
create table members (
  project_id uuid not null references projects (id),
  id uuid not null,
  subject text not null,
  name text,
  role_id uuid not null,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id)
);
create unique index members_subject_idx on members (project_id, subject);
create index members_role_idx on members (project_id, role_id);
-- Which projects somebody is a member of.
create index members_of_subject_idx on members (subject);

-- What is allowed or denied beyond scopes, on one resource or on all that carry a tag. Few: a project's are kept in memory.
create table access_policies (
  project_id uuid not null references projects (id),
  id uuid not null,
  kind text not null check (kind in ('resource', 'tag')),
  effect text not null check (effect in ('allow', 'deny')),
  actions text[] not null,
  -- '*', 'api_key:<id>', 'member:<subject>' or 'role:<id>'
  subject text not null,
  resource_type text,
  resource_id text,
  tag_key text,
  tag_value text,
  description text,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  check ((kind = 'resource') = (resource_type is not null and resource_id is not null)),
  check ((kind = 'tag') = (tag_key is not null))
);
