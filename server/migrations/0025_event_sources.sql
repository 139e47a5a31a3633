-- Where events come from, who is started by them, and what came.
create table event_sources (
  project_id uuid not null references projects (id),
  id uuid not null,
  slug text not null,
  name text not null,
  description text,
  signature text not null check (signature in ('none', 'hmac', 'github', 'stripe')),
  -- Sealed. Null: it takes nothing from outside.
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  payload_schema jsonb,
  -- Rises with every change of the schema: a compiled one is kept under it.
  revision integer not null default 1,
  dedup_window_secs integer not null,
  enabled boolean not null,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  unique (project_id, slug),
  check ((signature = 'none') = (secret is null))
);
-- A webhook comes without a credential: its path tells the project.
create index event_sources_id_idx on event_sources (id);

create table event_subscriptions (
  project_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  job_id uuid,
  workflow_id uuid,
  filter text,
  -- Null: the payload of the event.
  payload jsonb,
  concurrency_key text,
  environment_id uuid,
  enabled boolean not null,
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  foreign key (project_id, source_id) references event_sources (project_id, id) on delete cascade,
  foreign key (project_id, environment_id) references environments (project_id, id) on delete cascade,
  check ((job_id is null) <> (workflow_id is null))
);
create index event_subscriptions_source_idx on event_subscriptions (project_id, source_id, created_at, id);

create table source_events (
  project_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  -- As its sender calls it.
  event_id text,
  type text,
  via text not null check (via in ('dispatch', 'inbound')),
  status text not null check (status in ('dispatched', 'rejected')),
  payload jsonb not null,
  metadata jsonb not null,
  error jsonb,
  results jsonb not null,
  matched integer not null,
  started integer not null,
  failed integer not null,
  -- How many events led to it, itself among them.
  chain_depth integer not null,
  parent_run_id uuid,
  replay_of uuid,
  received_by text not null,
  created_at timestamptz(3) not null,
  primary key (project_id, id)
);
create index source_events_source_idx on source_events (project_id, source_id, created_at, id);
create index source_events_created_idx on source_events (created_at);

-- What was taken once, for as long as its source says.
create table source_event_ids (
  project_id uuid not null,
  source_id uuid not null,
  name text not null,
  source_event_id uuid not null,
  expires_at timestamptz(3) not null,
  primary key (project_id, source_id, name)
);
create index source_event_ids_expires_idx on source_event_ids (expires_at);

-- Which events cancel which runs; only of jobs and workflows that say so.
create table cancel_keys (
  project_id uuid not null,
  event_key text collate "C" not null,
  owner_id uuid not null,
  owner_kind text not null check (owner_kind in ('run', 'workflow_run')),
  environment_id uuid not null,
  -- To the microsecond: an event cancels who was there when it was sent.
  created_at timestamptz not null,
  -- When somebody looks whether its run has ended.
  check_at timestamptz(3) not null,
  primary key (project_id, event_key, owner_id)
);
create index cancel_keys_owner_idx on cancel_keys (project_id, owner_id);
create index cancel_keys_check_idx on cancel_keys (check_at);

-- How many runs hang together, by the one at the top. Only of those that spawned any.
create table run_trees (
  project_id uuid not null,
  root_run_id uuid not null,
  runs integer not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, root_run_id)
);
create index run_trees_updated_idx on run_trees (updated_at);

-- How many emitted events led to what a run received. No run is born with any.
alter table runs add column chain_depth integer not null default 0;
alter table workflow_runs add column chain_depth integer not null default 0;
