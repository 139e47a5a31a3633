-- The schema as the migrations leave it, printed from the catalogue. For reading: `npm run generate`.

CREATE OR REPLACE FUNCTION public.clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$select statement_timestamp()$function$
;

create table api_key_secrets (
  hash bytea not null,
  project_id uuid not null,
  key_id uuid not null,
  valid_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint api_key_secrets_pkey PRIMARY KEY (hash)
);
CREATE INDEX api_key_secrets_key_idx ON public.api_key_secrets USING btree (project_id, key_id);

create table api_keys (
  project_id uuid not null,
  id uuid not null,
  environment_id uuid,
  org_id text,
  name text not null,
  key_prefix text not null,
  scopes text[],
  expires_at timestamp(3) with time zone,
  rotation_interval_days integer,
  rotated_at timestamp(3) with time zone not null,
  previous_key_expires_at timestamp(3) with time zone,
  created_by text not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  constraint api_keys_pkey PRIMARY KEY (project_id, id),
  constraint api_keys_project_id_environment_id_fkey FOREIGN KEY (project_id, environment_id) REFERENCES environments(project_id, id) ON DELETE CASCADE,
  constraint api_keys_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX api_keys_created_at_idx ON public.api_keys USING btree (project_id, created_at, id);
CREATE INDEX api_keys_environment_idx ON public.api_keys USING btree (project_id, environment_id);

create table audit_events (
  project_id uuid not null,
  id uuid not null,
  actor_kind text not null,
  actor_id text,
  actor_name text,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  before jsonb,
  after jsonb,
  ip text,
  user_agent text,
  request_id text,
  created_at timestamp(3) with time zone not null,
  constraint audit_events_pkey PRIMARY KEY (project_id, id),
  constraint audit_events_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX audit_events_created_at_idx ON public.audit_events USING btree (project_id, created_at, id);

create table batch_items (
  project_id uuid not null,
  batch_id uuid not null,
  item_index integer not null,
  target_id text,
  status text not null,
  detail jsonb,
  error text,
  created_at timestamp(3) with time zone not null,
  constraint batch_items_pkey PRIMARY KEY (project_id, batch_id, item_index),
  constraint batch_items_project_id_batch_id_fkey FOREIGN KEY (project_id, batch_id) REFERENCES batch_operations(project_id, id) ON DELETE CASCADE,
  constraint batch_items_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'skipped'::text])))
);

create table batch_operations (
  project_id uuid not null,
  id uuid not null,
  kind text not null,
  status text not null,
  prev_status text,
  request jsonb,
  total integer not null,
  processed integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  skipped integer not null default 0,
  error text,
  created_by text not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  constraint batch_operations_pkey PRIMARY KEY (project_id, id),
  constraint batch_operations_check CHECK ((processed = ((succeeded + failed) + skipped))),
  constraint batch_operations_check1 CHECK ((processed <= total)),
  constraint batch_operations_check2 CHECK (((finished_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'canceled'::text])))),
  constraint batch_operations_moves CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>pending'::text, '>running'::text, 'pending>running'::text, 'running>running'::text, 'running>completed'::text, 'running>failed'::text, 'pending>canceled'::text, 'running>canceled'::text])))
);
CREATE INDEX batch_operations_created_at_idx ON public.batch_operations USING btree (project_id, created_at, id);
CREATE INDEX batch_operations_open_idx ON public.batch_operations USING btree (created_at) WHERE (finished_at IS NULL);

create table effects (
  project_id uuid not null,
  transition_id uuid not null,
  kind text not null,
  target_id text not null,
  detail jsonb,
  created_at timestamp(3) with time zone not null,
  constraint effects_pkey PRIMARY KEY (project_id, transition_id, kind, target_id)
);
CREATE INDEX effects_created_at_idx ON public.effects USING btree (created_at);

create table environments (
  project_id uuid not null,
  id uuid not null,
  parent_id uuid,
  slug text not null,
  name text not null,
  is_standard boolean not null default false,
  variables bytea not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint environments_pkey PRIMARY KEY (project_id, id),
  constraint environments_project_id_slug_key UNIQUE (project_id, slug),
  constraint environments_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint environments_project_id_parent_id_fkey FOREIGN KEY (project_id, parent_id) REFERENCES environments(project_id, id),
  constraint environments_check CHECK ((NOT (is_standard AND (parent_id IS NOT NULL))))
);
CREATE INDEX environments_created_at_idx ON public.environments USING btree (project_id, created_at, id);
CREATE INDEX environments_parent_idx ON public.environments USING btree (project_id, parent_id);

create table instances (
  id uuid not null,
  roles text[] not null,
  version text not null,
  address text not null,
  started_at timestamp(3) with time zone not null,
  seen_at timestamp(3) with time zone not null,
  constraint instances_pkey PRIMARY KEY (id)
);

create unlogged table ip_counters (
  limit_name text not null,
  client text not null,
  admitted integer[] not null,
  last_second bigint not null,
  constraint ip_counters_pkey PRIMARY KEY (limit_name, client)
);
CREATE INDEX ip_counters_last_second_idx ON public.ip_counters USING btree (last_second);

create table leaders (
  name text not null,
  holder uuid not null,
  epoch bigint not null,
  lease_until timestamp(3) with time zone not null,
  next_due_at timestamp(3) with time zone not null,
  constraint leaders_pkey PRIMARY KEY (name)
);

create table projects (
  id uuid not null,
  org_id text,
  slug text not null,
  name text not null,
  description text,
  max_active_event_triggers integer,
  compute_rate_microusd_per_sec bigint not null default 20,
  wrapped_data_key bytea not null,
  webhook_secret bytea not null,
  previous_webhook_secret bytea,
  previous_webhook_secret_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint projects_pkey PRIMARY KEY (id)
);
CREATE INDEX projects_created_at_idx ON public.projects USING btree (created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX projects_org_id_idx ON public.projects USING btree (org_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX projects_slug_idx ON public.projects USING btree (slug) WHERE (deleted_at IS NULL);

create table sessions (
  id uuid not null,
  kind text not null,
  project_id uuid,
  key_id uuid,
  code_hash bytea,
  token_hash bytea,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_code_hash_key UNIQUE (code_hash),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_check CHECK (((kind = 'api_key'::text) = (key_id IS NOT NULL))),
  constraint sessions_check1 CHECK (((project_id IS NULL) = (key_id IS NULL))),
  constraint sessions_check2 CHECK (((code_hash IS NULL) <> (token_hash IS NULL))),
  constraint sessions_kind_check CHECK ((kind = ANY (ARRAY['internal_secret'::text, 'api_key'::text])))
);
CREATE INDEX sessions_expires_at_idx ON public.sessions USING btree (expires_at);

create table webhook_deliveries (
  project_id uuid not null,
  id uuid not null,
  url text not null,
  event_type text not null,
  body text not null,
  source_type text not null,
  source_id text not null,
  status text not null,
  prev_status text,
  attempts integer not null default 0,
  next_attempt_at timestamp(3) with time zone,
  last_status_code integer,
  last_error text,
  delivered_at timestamp(3) with time zone,
  failed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (project_id, id),
  constraint webhook_deliveries_check CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_moves CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>pending'::text, 'pending>pending'::text, 'pending>delivered'::text, 'pending>failed'::text, 'failed>pending'::text])))
);
CREATE INDEX webhook_deliveries_created_at_idx ON public.webhook_deliveries USING btree (project_id, created_at, id);
CREATE INDEX webhook_deliveries_due_idx ON public.webhook_deliveries USING btree (next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_status_idx ON public.webhook_deliveries USING btree (project_id, status, created_at, id);
