-- Times have milliseconds, as on the wire, so that a cursor made of a shown time finds its row again.

create table projects (
  id uuid primary key,
  org_id text,
  slug text not null,
  name text not null,
  description text,
  max_active_event_triggers integer,
  compute_rate_microusd_per_sec bigint not null default 20,
  -- The project's own AES-256 key, wrapped by ENCRYPTION_KEY.
  wrapped_data_key bytea not null,
  -- Sealed with the data key. Requests are signed with both while a rotation's grace lasts.
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

create table environments (
  project_id uuid not null references projects (id),
  id uuid not null,
  parent_id uuid,
  slug text not null,
  name text not null,
  is_standard boolean not null default false,
  -- The whole object as JSON, sealed with the project's data key.
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

create table api_keys (
  project_id uuid not null references projects (id),
  id uuid not null,
  -- An environment is deleted only when its last key is revoked; the revoked ones go with it.
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
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  primary key (project_id, id),
  foreign key (project_id, environment_id) references environments (project_id, id) on delete cascade
);
create index api_keys_created_at_idx on api_keys (project_id, created_at, id);
create index api_keys_environment_idx on api_keys (project_id, environment_id);

-- Found by the hash alone: the caller's project is not known before. A rotation keeps two rows until the grace ends.
create table api_key_secrets (
  hash bytea primary key,
  project_id uuid not null,
  key_id uuid not null,
  valid_until timestamptz(3),
  created_at timestamptz(3) not null
);
create index api_key_secrets_key_idx on api_key_secrets (project_id, key_id);
