create table projects (
  id uuid primary key,
  org_id text,
  slug text not null,
  name text not null,
  description text,
  max_active_event_triggers integer,
  compute_rate_microusd_per_sec bigint not null default 20,
  wrapped_data_key bytea not null,
  webhook_secret bytea not null,
  previous_webhook_secret bytea,
  previous_webhook_secret_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);
create unique index projects_slug_idx on projects (slug) where deleted_at is null;
create index projects_created_at_idx on projects (created_at, id) where deleted_at is null;
create index projects_org_id_idx on projects (org_id, created_at, id) where deleted_at is null;
comment on table projects is 'A tenant; written by the API of projects.';
comment on column projects.wrapped_data_key is 'The project''s own AES-256 key, wrapped by ENCRYPTION_KEY.';
comment on column projects.webhook_secret is 'Encrypted with the data key. Requests are signed with this one and the previous one during the grace period of a rotation.';

create table environments (
  project_id uuid not null references projects (id),
  id uuid not null,
  parent_id uuid,
  slug text not null,
  name text not null,
  is_standard boolean not null default false,
  variables bytea not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  unique (project_id, slug),
  foreign key (project_id, parent_id) references environments (project_id, id),
  check (not (is_standard and parent_id is not null))
);
create index environments_created_at_idx on environments (project_id, created_at, id);
create index environments_parent_idx on environments (project_id, parent_id);
comment on table environments is 'An environment of a project with its variables; written by the API, the standard ones with their project.';
comment on column environments.variables is 'The whole object as JSON, encrypted with the project''s data key.';

create table api_keys (
  project_id uuid not null references projects (id),
  id uuid not null,
  environment_id uuid,
  org_id text,
  name text not null,
  key_prefix text not null,
  scopes text[],
  expires_at timestamptz(3),
  rotation_interval_days integer,
  rotated_at timestamptz(3) not null,
  previous_key_expires_at timestamptz(3),
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  rotation_due_at timestamptz(3),
  last_used_at timestamptz(3),
  rate_limits jsonb,
  primary key (project_id, id),
  -- An environment is deleted only when its last key is revoked; the revoked ones go with it.
  foreign key (project_id, environment_id) references environments (project_id, id) on delete cascade
);
create index api_keys_created_at_idx on api_keys (project_id, created_at, id);
create index api_keys_environment_idx on api_keys (project_id, environment_id);
create index api_keys_rotation_due_idx on api_keys (rotation_due_at) where rotation_due_at is not null;
comment on table api_keys is 'An API key without its secret; written by the API of keys.';
comment on column api_keys.created_by_id is 'The id of the creator, here and in every table: two API keys may share a name. Of a key its id, of a member the subject. Null: the service itself or the internal secret.';
comment on column api_keys.rotation_due_at is 'When the rotation is due. Null: the key has no interval, was reported as due, or is revoked.';
comment on column api_keys.last_used_at is 'Written every few seconds by the instances that saw the key, never by a request itself.';
comment on column api_keys.rate_limits is '{requests_per_minute, triggers_per_minute, bulk_per_minute}. Null, or one is missing: that of the address holds.';

create table api_key_secrets (
  hash bytea primary key,
  project_id uuid not null,
  key_id uuid not null,
  valid_until timestamptz(3),
  created_at timestamptz(3) not null
);
create index api_key_secrets_key_idx on api_key_secrets (project_id, key_id);
comment on table api_key_secrets is 'The hash of a key''s secret, two during the grace period of a rotation; written by the API of keys.';
comment on column api_key_secrets.hash is 'Secrets are found by the hash alone: the caller''s project is not known before.';

create table sessions (
  id uuid primary key,
  kind text not null check (kind in ('internal_secret', 'api_key')),
  project_id uuid,
  key_id uuid,
  code_hash bytea unique,
  token_hash bytea unique,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  secret_hash bytea,
  check ((kind = 'api_key') = (key_id is not null)),
  check ((project_id is null) = (key_id is null)),
  check ((code_hash is null) <> (token_hash is null))
);
create index sessions_expires_at_idx on sessions (expires_at);
comment on table sessions is 'A session of the dashboard; written at sign-in, with a one-time code (sign-in link) or with its token.';
comment on column sessions.last_used_at is 'An idle session ends before it expires.';
comment on column sessions.secret_hash is 'Of the secret used at sign-in: the session ends when that secret changes.';

create table roles (
  project_id uuid not null references projects (id),
  id uuid not null,
  name text not null,
  description text,
  permissions text[] not null,
  parent_role_id uuid,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id)
);
create unique index roles_name_idx on roles (project_id, name);
create index roles_parent_idx on roles (project_id, parent_role_id) where parent_role_id is not null;
comment on table roles is 'A role that a project defined; written by the API of roles. Built-in roles are constants in the code.';

create table members (
  project_id uuid not null references projects (id),
  id uuid not null,
  subject text not null,
  name text,
  role_id uuid not null,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id)
);
create unique index members_subject_idx on members (project_id, subject);
create index members_role_idx on members (project_id, role_id);
-- The projects of a person.
create index members_of_subject_idx on members (subject);
comment on table members is 'A person''s role in a project; written by the API of members.';
comment on column members.subject is 'As the identity provider names the person.';

create table access_policies (
  project_id uuid not null references projects (id),
  id uuid not null,
  kind text not null check (kind in ('resource', 'tag')),
  effect text not null check (effect in ('allow', 'deny')),
  actions text[] not null,
  subject text not null,
  resource_type text,
  resource_id text,
  tag_key text,
  tag_value text,
  description text,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  check ((kind = 'resource') = (resource_type is not null and resource_id is not null)),
  check ((kind = 'tag') = (tag_key is not null))
);
comment on table access_policies is 'What is allowed or denied beyond scopes, on one resource or on all with a tag; written by the API of policies.';
comment on column access_policies.subject is '*, api_key:<id>, member:<subject> or role:<id>.';

-- Few per project, and read by people: no index besides the key.
create table saved_views (
  project_id uuid not null references projects (id),
  id uuid not null,
  name text not null,
  resource text not null,
  query jsonb not null,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id)
);
comment on table saved_views is 'The filter of a list under a name; written by the API of saved views.';
