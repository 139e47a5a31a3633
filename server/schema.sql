-- The schema that the migrations produce, for reading. `npm run generate` prints it from the catalog.

CREATE OR REPLACE FUNCTION public.clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$select statement_timestamp()$function$
;

create table access_policies (
  project_id uuid not null,
  id uuid not null,
  kind text not null,
  effect text not null,
  actions text[] not null,
  subject text not null,
  resource_type text,
  resource_id text,
  tag_key text,
  tag_value text,
  description text,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint access_policies_pkey PRIMARY KEY (project_id, id),
  constraint access_policies_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint access_policies_check CHECK (((kind = 'resource'::text) = ((resource_type IS NOT NULL) AND (resource_id IS NOT NULL)))),
  constraint access_policies_check1 CHECK (((kind = 'tag'::text) = (tag_key IS NOT NULL))),
  constraint access_policies_effect_check CHECK ((effect = ANY (ARRAY['allow'::text, 'deny'::text]))),
  constraint access_policies_kind_check CHECK ((kind = ANY (ARRAY['resource'::text, 'tag'::text])))
);
comment on table access_policies is 'What is allowed or denied beyond scopes, on one resource or on all with a tag; written by the API of policies.';
comment on column access_policies.subject is '*, api_key:<id>, member:<subject> or role:<id>.';

create table accounts (
  id uuid not null,
  email text not null,
  name text not null,
  salt bytea not null,
  password_hash bytea not null,
  totp_secret bytea,
  totp_step bigint,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  reset_hash bytea,
  reset_expires_at timestamp(3) with time zone,
  constraint accounts_pkey PRIMARY KEY (id),
  constraint accounts_email_key UNIQUE (email)
);
comment on table accounts is 'A person who signs in with a password; written when an invitation is accepted and by the person. Their subject is local:<id>.';
comment on column accounts.password_hash is 'The first half of an scrypt key; the other half, which is not stored, encrypts totp_secret.';
comment on column accounts.totp_step is 'The time step of the last code that was accepted: each works once.';
comment on column accounts.reset_hash is 'The SHA-256 hash of the secret in the link with which the person sets a new password. Null: there is no link.';

create table alert_channels (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  kind text not null,
  target text not null,
  settings bytea not null,
  enabled boolean not null,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint alert_channels_pkey PRIMARY KEY (project_id, id),
  constraint alert_channels_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint alert_channels_kind_check CHECK ((kind = ANY (ARRAY['webhook'::text, 'slack'::text, 'discord'::text, 'teams'::text, 'pagerduty'::text, 'opsgenie'::text, 'email'::text])))
);
CREATE INDEX alert_channels_created_at_idx ON public.alert_channels USING btree (project_id, created_at, id);
comment on table alert_channels is 'Where alerts of a project are sent; written by the API of alert channels.';
comment on column alert_channels.target is 'What may be shown of the receiver: its host, or the e-mail address.';
comment on column alert_channels.settings is 'Encrypted: the URL, and the key if its kind has one.';

create table alert_evaluations (
  project_id uuid not null,
  next_at timestamp(3) with time zone not null,
  constraint alert_evaluations_pkey PRIMARY KEY (project_id),
  constraint alert_evaluations_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX alert_evaluations_next_at_idx ON public.alert_evaluations USING btree (next_at);
comment on table alert_evaluations is 'When the rules of a project are evaluated next; inserted with its first rule, updated by the evaluation.';

create table alert_rules (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  kind text not null,
  environment_id uuid,
  job_id uuid,
  workflow_id uuid,
  queue text,
  tag text,
  threshold double precision not null,
  window_secs integer not null,
  min_runs integer not null,
  objective double precision,
  for_secs integer not null,
  resolve_after_secs integer not null,
  repeat_every_secs integer,
  channel_ids uuid[] not null,
  runbook text,
  enabled boolean not null,
  silenced_until timestamp(3) with time zone,
  state text not null default 'ok'::text,
  state_since timestamp(3) with time zone not null,
  healthy_since timestamp(3) with time zone,
  value double precision,
  alert_id uuid,
  notified_at timestamp(3) with time zone,
  revision integer not null default 1,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint alert_rules_pkey PRIMARY KEY (project_id, id),
  constraint alert_rules_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint alert_rules_check CHECK (((state = 'firing'::text) = (alert_id IS NOT NULL))),
  constraint alert_rules_check1 CHECK ((num_nonnulls(job_id, workflow_id, queue, tag) <= 1)),
  constraint alert_rules_kind_check CHECK ((kind = ANY (ARRAY['failure_rate'::text, 'no_success'::text, 'oldest_queued'::text, 'queue_depth'::text, 'dead_letters'::text, 'budget'::text, 'endpoint_down'::text, 'schedule_missed'::text, 'slo_burn_rate'::text, 'new_errors'::text]))),
  constraint alert_rules_state_check CHECK ((state = ANY (ARRAY['ok'::text, 'pending'::text, 'firing'::text])))
);
CREATE INDEX alert_rules_created_at_idx ON public.alert_rules USING btree (project_id, created_at, id);
comment on table alert_rules is 'A condition over a project, and whether it holds; written by the API of alert rules and by their evaluation, which writes only changes of state.';
comment on column alert_rules.tag is '`key` or `key:value` of jobs.';
comment on column alert_rules.healthy_since is 'While it fires: since when the condition no longer holds.';
comment on column alert_rules.value is 'When the state last changed.';
comment on column alert_rules.notified_at is 'When the channels were last notified about the alert that fires. Null: they were not, because the rule is silenced.';
comment on column alert_rules.revision is 'Every decision names the revision it was made from, so that of two instances one decides.';

create table alerts (
  project_id uuid not null,
  id uuid not null,
  rule_id uuid not null,
  rule_name text not null,
  kind text not null,
  environment_id uuid,
  status text not null,
  summary text not null,
  detail jsonb not null,
  value double precision,
  threshold double precision not null,
  notifications integer not null default 0,
  fired_at timestamp(3) with time zone not null,
  resolved_at timestamp(3) with time zone,
  resolved_because text,
  created_at timestamp(3) with time zone not null,
  notified_channel_ids uuid[] not null default '{}'::uuid[],
  constraint alerts_pkey PRIMARY KEY (project_id, id),
  constraint alerts_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint alerts_check CHECK (((status = 'resolved'::text) = (resolved_at IS NOT NULL))),
  constraint alerts_resolved_because_check CHECK ((resolved_because = ANY (ARRAY['recovered'::text, 'rule_disabled'::text, 'rule_deleted'::text]))),
  constraint alerts_status_check CHECK ((status = ANY (ARRAY['firing'::text, 'resolved'::text])))
);
CREATE INDEX alerts_created_at_idx ON public.alerts USING btree (project_id, created_at, id);
CREATE INDEX alerts_firing_idx ON public.alerts USING btree (project_id, created_at, id) WHERE (status = 'firing'::text);
CREATE INDEX alerts_resolved_idx ON public.alerts USING btree (resolved_at) WHERE (resolved_at IS NOT NULL);
CREATE INDEX alerts_rule_idx ON public.alerts USING btree (project_id, rule_id, created_at, id);
comment on table alerts is 'One time that a rule fired, until it was resolved; written by the evaluation of alert rules.';
comment on column alerts.notifications is 'How often its channels were notified.';
comment on column alerts.notified_channel_ids is 'The channels that were notified: they are notified of its end too.';

create table api_key_secrets (
  hash bytea not null,
  project_id uuid not null,
  key_id uuid not null,
  valid_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint api_key_secrets_pkey PRIMARY KEY (hash)
);
CREATE INDEX api_key_secrets_key_idx ON public.api_key_secrets USING btree (project_id, key_id);
comment on table api_key_secrets is 'The hash of a key''s secret, two during the grace period of a rotation; written by the API of keys.';
comment on column api_key_secrets.hash is 'Secrets are found by the hash alone: the caller''s project is not known before.';

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
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  rotation_due_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  rate_limits jsonb,
  queues text[],
  worker_environment_ids uuid[],
  subject text,
  provider text,
  email text,
  constraint api_keys_pkey PRIMARY KEY (project_id, id),
  constraint api_keys_project_id_environment_id_fkey FOREIGN KEY (project_id, environment_id) REFERENCES environments(project_id, id) ON DELETE CASCADE,
  constraint api_keys_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX api_keys_created_at_idx ON public.api_keys USING btree (project_id, created_at, id);
CREATE INDEX api_keys_email_idx ON public.api_keys USING btree (provider, lower(email)) WHERE (email IS NOT NULL);
CREATE INDEX api_keys_environment_idx ON public.api_keys USING btree (project_id, environment_id);
CREATE INDEX api_keys_rotation_due_idx ON public.api_keys USING btree (rotation_due_at) WHERE (rotation_due_at IS NOT NULL);
CREATE INDEX api_keys_subject_idx ON public.api_keys USING btree (subject) WHERE (subject IS NOT NULL);
comment on table api_keys is 'An API key without its secret; written by the API of keys.';
comment on column api_keys.created_by_id is 'The id of the creator, here and in every table: two API keys may share a name. Of a key its id, of a member the subject. Null: the service itself or the internal secret.';
comment on column api_keys.rotation_due_at is 'When the rotation is due. Null: the key has no interval, was reported as due, or is revoked.';
comment on column api_keys.last_used_at is 'Written every few seconds by the instances that saw the key, never by a request itself.';
comment on column api_keys.rate_limits is '{requests_per_minute, triggers_per_minute, bulk_per_minute}. Null, or one is missing: that of the address holds.';
comment on column api_keys.queues is 'The queues that workers with this key may serve. Null: all.';
comment on column api_keys.worker_environment_ids is 'The environments whose runs workers with this key may claim. Null: the one of the key, or all.';
comment on column api_keys.subject is 'Of a personal key: the person whom it acts for, with no more than their role. Null: the key belongs to the project.';
comment on column api_keys.provider is 'Of a personal key: the identity provider of the session that created it. Null: another kind of sign-in.';
comment on column api_keys.email is 'Of a personal key: the verified address in that session, by which a provider that deactivates the person may name them.';

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
  chain_no bigint,
  hash bytea,
  constraint audit_events_pkey PRIMARY KEY (project_id, id),
  constraint audit_events_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint audit_events_sealed_check CHECK (((chain_no IS NULL) = (hash IS NULL)))
);
CREATE UNIQUE INDEX audit_events_chain_idx ON public.audit_events USING btree (project_id, chain_no) WHERE (chain_no IS NOT NULL);
CREATE INDEX audit_events_created_at_idx ON public.audit_events USING btree (project_id, created_at, id);
CREATE INDEX audit_events_resource_idx ON public.audit_events USING btree (project_id, resource_type, resource_id, created_at, id);
CREATE INDEX audit_events_unsealed_idx ON public.audit_events USING btree (created_at, id) WHERE (chain_no IS NULL);
comment on table audit_events is 'Who changed what; inserted unsealed in the transaction of the change, and sealed by a background task.';
comment on column audit_events.chain_no is 'The number in the chain of the project. Null: not sealed yet.';
comment on column audit_events.hash is 'Over the event and all events before it in the chain.';

create table audit_heads (
  project_id uuid not null,
  count bigint not null,
  hash bytea not null,
  signature bytea not null,
  start_no bigint not null,
  start_hash bytea not null,
  start_signature bytea not null,
  sealed_at timestamp(3) with time zone not null,
  constraint audit_heads_pkey PRIMARY KEY (project_id),
  constraint audit_heads_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
comment on table audit_heads is 'The signed end of a project''s audit chain, which reveals that events were cut off; written by the tasks that seal and remove audit events.';
comment on column audit_heads.start_no is 'The beginning of the chain, which retention moves on; signed too.';

create table batch_items (
  project_id uuid not null,
  batch_id uuid not null,
  item_index integer not null,
  target_id text,
  status text not null,
  detail jsonb,
  error text,
  error_code text,
  created_at timestamp(3) with time zone not null,
  constraint batch_items_pkey PRIMARY KEY (project_id, batch_id, item_index),
  constraint batch_items_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'skipped'::text])))
);
CREATE INDEX batch_items_status_idx ON public.batch_items USING btree (project_id, batch_id, status, item_index) WHERE (status <> 'succeeded'::text);
comment on table batch_items is 'The result of one item of a bulk operation; inserted in the transaction that processes the item, so that a resumed operation does not process it twice.';

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
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  environment_id uuid,
  access jsonb,
  plan jsonb,
  walk jsonb,
  failures integer not null default 0,
  lease_until timestamp(3) with time zone,
  lease_token uuid,
  leased_by uuid,
  constraint batch_operations_pkey PRIMARY KEY (project_id, id),
  constraint batch_operations_check CHECK ((processed = ((succeeded + failed) + skipped))),
  constraint batch_operations_check1 CHECK ((processed <= total)),
  constraint batch_operations_check2 CHECK (((finished_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'canceled'::text])))),
  constraint batch_operations_check3 CHECK (((lease_until IS NULL) = (lease_token IS NULL))),
  constraint batch_operations_check4 CHECK (((lease_until IS NULL) OR (finished_at IS NULL))),
  constraint batch_operations_transitions CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>pending'::text, '>running'::text, 'pending>running'::text, 'running>running'::text, 'running>completed'::text, 'running>failed'::text, 'pending>canceled'::text, 'running>canceled'::text])))
);
CREATE INDEX batch_operations_created_at_idx ON public.batch_operations USING btree (project_id, created_at, id);
CREATE INDEX batch_operations_open_idx ON public.batch_operations USING btree (created_at) WHERE (finished_at IS NULL);
comment on table batch_operations is 'A bulk operation and its progress; inserted by the API, updated by the instance that holds its lease.';
comment on column batch_operations.environment_id is 'The environment to which its caller is bound; it acts on nothing else. Null: on the whole project.';
comment on column batch_operations.access is 'What policies and the limits of a token left of that when it was requested. Null: all of it.';
comment on column batch_operations.plan is 'What it iterates over: the filter, with ids instead of names and times instead of intervals.';
comment on column batch_operations.walk is 'How far it has come.';
comment on column batch_operations.failures is 'Consecutive passes that ended with an error.';

create table budget_reservations (
  project_id uuid not null,
  run_id uuid not null,
  microusd bigint not null,
  created_at timestamp(3) with time zone not null,
  constraint budget_reservations_pkey PRIMARY KEY (project_id, run_id),
  constraint budget_reservations_microusd_check CHECK ((microusd >= 0))
);
comment on table budget_reservations is 'What is reserved of a blocking budget for one run until its cost is settled; written by flow under the lock of the budget.';

create table buffered_events (
  project_id uuid not null,
  id uuid not null,
  event_key text not null,
  payload jsonb,
  sent_by text not null,
  sent_by_id text,
  expires_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null,
  constraint buffered_events_pkey PRIMARY KEY (project_id, id)
);
CREATE INDEX buffered_events_expires_idx ON public.buffered_events USING btree (expires_at);
CREATE INDEX buffered_events_key_idx ON public.buffered_events USING btree (project_id, event_key, id);
comment on table buffered_events is 'An event that was sent before anything waited for it, to be kept on request; inserted by the send, deleted by the wait that takes it, first in, first out.';

create table canaries (
  project_id uuid not null,
  id uuid not null,
  workflow_id uuid not null,
  source_version integer not null,
  source_version_id uuid not null,
  target_version integer not null,
  target_version_id uuid not null,
  traffic_pct integer not null,
  status text not null default 'active'::text,
  prev_status text,
  auto_promote_config jsonb,
  traffic_since timestamp(3) with time zone not null,
  evaluated_at timestamp(3) with time zone,
  created_by text not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  completed_at timestamp(3) with time zone,
  constraint canaries_pkey PRIMARY KEY (project_id, id),
  constraint canaries_project_id_workflow_id_fkey FOREIGN KEY (project_id, workflow_id) REFERENCES workflows(project_id, id) ON DELETE CASCADE,
  constraint canaries_check CHECK (((completed_at IS NULL) = (status = 'active'::text))),
  constraint canaries_traffic_pct_check CHECK (((traffic_pct >= 0) AND (traffic_pct <= 100))),
  constraint canaries_transitions CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>active'::text, 'active>promoted'::text, 'active>rolled_back'::text])))
);
CREATE UNIQUE INDEX canaries_active_idx ON public.canaries USING btree (project_id, workflow_id) WHERE (status = 'active'::text);
CREATE INDEX canaries_evaluated_at_idx ON public.canaries USING btree (evaluated_at NULLS FIRST) WHERE ((status = 'active'::text) AND (auto_promote_config IS NOT NULL));
CREATE INDEX canaries_workflow_idx ON public.canaries USING btree (project_id, workflow_id, created_at, id);
comment on table canaries is 'A canary release: while it is active, a share of a workflow''s new runs gets the target version; written by the API and by the task that evaluates canaries.';
comment on column canaries.traffic_since is 'Since when the share has its current value.';
comment on column canaries.evaluated_at is 'When the task last evaluated it.';

create table cancel_keys (
  project_id uuid not null,
  event_key text not null,
  owner_id uuid not null,
  owner_kind text not null,
  environment_id uuid not null,
  created_at timestamp with time zone not null,
  check_at timestamp(3) with time zone not null,
  constraint cancel_keys_pkey PRIMARY KEY (project_id, event_key, owner_id),
  constraint cancel_keys_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['run'::text, 'workflow_run'::text])))
);
CREATE INDEX cancel_keys_check_idx ON public.cancel_keys USING btree (check_at);
CREATE INDEX cancel_keys_owner_idx ON public.cancel_keys USING btree (project_id, owner_id);
comment on table cancel_keys is 'An event key that cancels a run, for jobs and workflows with cancel_on; inserted by flow with the run.';
comment on column cancel_keys.created_at is 'In microseconds: an event cancels the runs that existed when it was sent.';
comment on column cancel_keys.check_at is 'When the sweep checks whether the run has ended.';

create table changelog (
  position bigint not null,
  project_id uuid not null,
  kind text not null,
  ids uuid[] not null,
  ordinals integer[],
  from_statuses text[],
  to_statuses text[],
  causes text[],
  attempts integer[],
  row_ids uuid[],
  is_uniform boolean not null default false,
  wall_ms bigint[],
  waited_ms bigint[],
  created_at timestamp(3) with time zone not null,
  http_statuses smallint[],
  constraint changelog_pkey PRIMARY KEY ("position")
);
CREATE INDEX changelog_lines_idx ON public.changelog USING btree (project_id, "position") WHERE (kind = 'run_log'::text);
comment on table changelog is 'Changes of one statement in one project, with their position in the order of the whole service; inserted by the sequencer.';
comment on column changelog.ids is 'What changed, one entry per change, as in the other arrays.';
comment on column changelog.row_ids is 'The ids of log lines and usage records.';
comment on column changelog.is_uniform is 'All changes are of runs with the same job version, environment and kind of trigger. Uniform ends also have the same creator, nothing else by which costs are grouped, and the durations of their only dispatch.';
comment on column changelog.wall_ms is 'For uniform ends: how long the dispatch took; waited_ms is how long the run waited for it once it was due.';
comment on column changelog.http_statuses is 'For uniform ends that all completed, in traces of their own: the status of each response, so that their spans follow from this row and one of these runs.';

create table changelog_head (
  is_head boolean not null default true,
  position bigint not null,
  scan_after bigint not null,
  last_id bigint not null,
  marked_id bigint not null,
  marked_at timestamp(3) with time zone not null,
  constraint changelog_head_pkey PRIMARY KEY (is_head),
  constraint changelog_head_is_head_check CHECK (is_head)
);
comment on table changelog_head is 'The only row has the last position of the changelog; the sequencer locks and writes it, so that positions become visible in their order.';
comment on column changelog_head.scan_after is 'The inbox is scanned above it, so that rows that vacuum cannot remove yet do not slow the scan down: the last id of the mark before the last, more than a minute ago.';

create table changelog_inbox (
  id bigint not null,
  project_id uuid not null,
  kind text not null,
  ids uuid[] not null,
  ordinals integer[],
  from_statuses text[],
  to_statuses text[],
  causes text[],
  attempts integer[],
  row_ids uuid[],
  is_uniform boolean not null default false,
  wall_ms bigint[],
  waited_ms bigint[],
  created_at timestamp(3) with time zone not null,
  http_statuses smallint[],
  constraint changelog_inbox_pkey PRIMARY KEY (id)
);
comment on table changelog_inbox is 'Changes of one statement that have no position yet; inserted by that statement, moved to the changelog by the sequencer.';

create table circuits (
  project_id uuid not null,
  host text not null,
  status text not null,
  good_probes integer not null default 0,
  probe_at timestamp(3) with time zone,
  opened_at timestamp(3) with time zone,
  reason text,
  updated_at timestamp(3) with time zone not null,
  cause text not null default 'failing'::text,
  down_since timestamp(3) with time zone,
  answered_at timestamp(3) with time zone,
  recent_failures timestamp(3) with time zone[] not null default '{}'::timestamp with time zone[],
  origin text,
  constraint circuits_pkey PRIMARY KEY (project_id, host),
  constraint circuits_cause_check CHECK ((cause = ANY (ARRAY['failing'::text, 'unreachable'::text]))),
  constraint circuits_status_check CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
);
CREATE INDEX circuits_down_idx ON public.circuits USING btree (project_id, host) WHERE (down_since IS NOT NULL);
CREATE INDEX circuits_probe_idx ON public.circuits USING btree (probe_at) WHERE (status = 'open'::text);
comment on table circuits is 'A host and its circuit breaker; written by flow from the results of dispatches. While it is open, runs are blocked and the host is probed.';
comment on column circuits.good_probes is 'Of a failing host: good probes in a row. Of an unreachable one: 0 while it is probed, then the step in which its runs are released.';
comment on column circuits.cause is 'Why the circuit was opened last: the host responded with errors, or no connection could be made.';
comment on column circuits.down_since is 'The first connection that could not be made since the host last responded. Null: it responds.';
comment on column circuits.answered_at is 'When a response of the host was first recorded. Null: it has never responded.';
comment on column circuits.recent_failures is 'The last five times at which no connection could be made.';
comment on column circuits.origin is 'Scheme, host and port, to which a probe connects. Null: every connection could be made so far.';

create table compute_rate_changes (
  project_id uuid not null,
  until timestamp(3) with time zone not null,
  compute_rate_microusd_per_sec bigint not null,
  constraint compute_rate_changes_pkey PRIMARY KEY (project_id, until)
);
comment on table compute_rate_changes is 'A former compute rate of a project, valid until then; inserted by the API of projects. What was settled before keeps its price.';

create table concurrency_counters (
  project_id uuid not null,
  key text not null,
  active integer not null default 0,
  constraint concurrency_counters_pkey PRIMARY KEY (project_id, key),
  constraint concurrency_counters_active_check CHECK ((active >= 0))
);
comment on table concurrency_counters is 'How many runs hold a slot of a concurrency limit; written by flow when runs are claimed and released.';
comment on column concurrency_counters.key is 'job:<job>, key:<job>:<key> or workflow:<workflow>.';

create table cost_rollups (
  project_id uuid not null,
  kind text not null,
  grain text not null,
  starts_at timestamp(3) with time zone not null,
  environment_id uuid not null,
  job_id uuid not null,
  part text not null,
  name text not null default ''::text,
  value text not null default ''::text,
  reported_microusd bigint not null default 0,
  compute_microusd bigint not null default 0,
  wall_ms bigint not null default 0,
  longest_ms bigint not null default 0,
  dispatch_reported_microusd bigint not null default 0,
  busy_ms bigint not null default 0,
  dispatches bigint not null default 0,
  reports bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  constraint cost_rollups_pkey PRIMARY KEY (project_id, kind, grain, starts_at, environment_id, job_id, part, name, value),
  constraint cost_rollups_grain_check CHECK ((grain = ANY (ARRAY['1m'::text, '1h'::text, '1d'::text]))),
  constraint cost_rollups_kind_check CHECK ((kind = ANY (ARRAY['job'::text, 'tag'::text, 'concurrency_key'::text, 'created_by'::text, 'workflow'::text, 'schedule'::text, 'model'::text]))),
  constraint cost_rollups_part_check CHECK ((part = ANY (ARRAY['named'::text, 'none'::text, 'other'::text])))
);
comment on table cost_rollups is 'What runs of a job cost in one bucket of time, by one group; written by the consumer that sums costs. Rows grow with days, jobs and groups, not with runs.';
comment on column cost_rollups.kind is 'What the row is grouped by besides its job. Of `job`: by how its dispatches ended.';
comment on column cost_rollups.grain is 'Buckets shorter than a day exist only for jobs, and for a while.';
comment on column cost_rollups.part is '`none`: without such a name. `other`: names beyond those that a day lists.';
comment on column cost_rollups.wall_ms is 'How long the dispatches that ended in the bucket took; longest_ms is the longest of them, dispatch_reported_microusd what they reported.';
comment on column cost_rollups.busy_ms is 'The time of all dispatches that lies within the bucket, whenever they ended.';

create table encryption_check (
  is_only boolean not null default true,
  wrapped_key bytea not null,
  updated_at timestamp(3) with time zone not null,
  constraint encryption_check_pkey PRIMARY KEY (is_only),
  constraint encryption_check_is_only_check CHECK (is_only)
);
comment on table encryption_check is 'The only row shows whether ENCRYPTION_KEY is the right one; written at the first start and when the key is rotated.';
comment on column encryption_check.wrapped_key is 'A random key that is used for nothing else. A start whose ENCRYPTION_KEY does not decrypt it is refused.';

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
comment on table environments is 'An environment of a project with its variables; written by the API, the standard ones with their project.';
comment on column environments.variables is 'The whole object as JSON, encrypted with the project''s data key.';

create table error_groups (
  project_id uuid not null,
  job_id uuid not null,
  environment_id uuid not null,
  fingerprint uuid not null,
  step_ref text,
  http_status integer,
  code text,
  message text not null,
  run_ids uuid[] not null,
  first_seen_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  id uuid not null default gen_random_uuid(),
  status text not null default 'open'::text,
  assigned_to text,
  opened_at timestamp(3) with time zone,
  resolved_at timestamp(3) with time zone,
  reopened_count integer not null default 0,
  updated_at timestamp(3) with time zone,
  constraint error_groups_pkey PRIMARY KEY (project_id, job_id, environment_id, fingerprint),
  constraint error_groups_status_check CHECK ((status = ANY (ARRAY['open'::text, 'resolved'::text, 'ignored'::text])))
);
CREATE UNIQUE INDEX error_groups_id_idx ON public.error_groups USING btree (project_id, id);
CREATE INDEX error_groups_last_seen_idx ON public.error_groups USING btree (last_seen_at);
CREATE INDEX error_groups_opened_idx ON public.error_groups USING btree (project_id, opened_at) WHERE (status = 'open'::text);
CREATE INDEX error_groups_status_idx ON public.error_groups USING btree (project_id, status, last_seen_at, id);
comment on table error_groups is 'Failures with the same fingerprint, as an issue; written by the consumer that counts errors and by the API of error issues.';
comment on column error_groups.message is 'Without numbers, names and ids, so that it reveals nothing about a run.';
comment on column error_groups.run_ids is 'The newest few.';
comment on column error_groups.opened_at is 'When it was first seen, or reopened by a failure after it was resolved. Null: seen before issues existed.';
comment on column error_groups.resolved_at is 'A later failure reopens it.';

create table event_sources (
  project_id uuid not null,
  id uuid not null,
  slug text not null,
  name text not null,
  description text,
  signature text not null,
  secret bytea,
  previous_secret bytea,
  previous_secret_until timestamp(3) with time zone,
  payload_schema jsonb,
  revision integer not null default 1,
  dedup_window_secs integer not null,
  enabled boolean not null,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint event_sources_pkey PRIMARY KEY (project_id, id),
  constraint event_sources_project_id_slug_key UNIQUE (project_id, slug),
  constraint event_sources_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint event_sources_check CHECK (((signature = 'none'::text) = (secret IS NULL))),
  constraint event_sources_signature_check CHECK ((signature = ANY (ARRAY['none'::text, 'hmac'::text, 'github'::text, 'stripe'::text])))
);
CREATE INDEX event_sources_id_idx ON public.event_sources USING btree (id);
comment on table event_sources is 'A source of events that start runs; written by the API of event sources.';
comment on column event_sources.secret is 'Encrypted. Null: the source accepts nothing from outside.';
comment on column event_sources.revision is 'Rises with every change of the schema: the compiled schema is cached under it.';

create table event_subscriptions (
  project_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  job_id uuid,
  workflow_id uuid,
  filter text,
  payload jsonb,
  concurrency_key text,
  environment_id uuid,
  enabled boolean not null,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint event_subscriptions_pkey PRIMARY KEY (project_id, id),
  constraint event_subscriptions_project_id_environment_id_fkey FOREIGN KEY (project_id, environment_id) REFERENCES environments(project_id, id) ON DELETE CASCADE,
  constraint event_subscriptions_project_id_source_id_fkey FOREIGN KEY (project_id, source_id) REFERENCES event_sources(project_id, id) ON DELETE CASCADE,
  constraint event_subscriptions_check CHECK (((job_id IS NULL) <> (workflow_id IS NULL)))
);
CREATE INDEX event_subscriptions_source_idx ON public.event_subscriptions USING btree (project_id, source_id, created_at, id);
comment on table event_subscriptions is 'A job or workflow that events of a source start; written by the API of event sources.';
comment on column event_subscriptions.payload is 'A template. Null: the payload of the event.';

create table event_trigger_counts (
  project_id uuid not null,
  shard smallint not null,
  active integer not null default 0,
  waiting integer not null default 0,
  received integer not null default 0,
  timed_out integer not null default 0,
  canceled integer not null default 0,
  constraint event_trigger_counts_pkey PRIMARY KEY (project_id, shard)
);
comment on table event_trigger_counts is 'A share of the counts of a project''s event triggers, so that writers do not wait for one row; written by flow with the triggers.';
comment on column event_trigger_counts.active is 'What the quota limits: waits for events of users.';

create table event_triggers (
  project_id uuid not null,
  id uuid not null,
  event_key text not null,
  environment_id uuid not null,
  source_type text not null,
  trigger_type text not null,
  wait_kind text not null,
  workflow_run_id uuid,
  workflow_step_run_id uuid,
  generation integer,
  job_run_id uuid,
  ordinal integer,
  child_run_id uuid,
  status text not null,
  prev_status text,
  timeout_secs integer,
  payload jsonb,
  error jsonb,
  notify_url text,
  sent_by text,
  sent_by_id text,
  send_id uuid,
  expires_at timestamp(3) with time zone not null,
  requested_at timestamp(3) with time zone not null,
  received_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint event_triggers_pkey PRIMARY KEY (project_id, id),
  constraint event_triggers_check CHECK (((source_type = 'job_run'::text) = (job_run_id IS NOT NULL))),
  constraint event_triggers_check1 CHECK (((source_type = 'workflow_step'::text) = (workflow_step_run_id IS NOT NULL))),
  constraint event_triggers_check2 CHECK (((status = 'waiting'::text) = (finished_at IS NULL))),
  constraint event_triggers_source_type_check CHECK ((source_type = ANY (ARRAY['workflow_step'::text, 'job_run'::text]))),
  constraint event_triggers_transitions CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>waiting'::text, '>received'::text, 'waiting>received'::text, 'waiting>timed_out'::text, 'waiting>canceled'::text]))),
  constraint event_triggers_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['event'::text, 'sleep'::text]))),
  constraint event_triggers_wait_kind_check CHECK ((wait_kind = ANY (ARRAY['event'::text, 'sleep'::text, 'child'::text, 'approval'::text])))
);
CREATE INDEX event_triggers_approvals_idx ON public.event_triggers USING btree (project_id, id) WHERE ((status = 'waiting'::text) AND (wait_kind = 'approval'::text));
CREATE INDEX event_triggers_created_at_idx ON public.event_triggers USING brin (created_at) WITH (autosummarize='on');
CREATE INDEX event_triggers_due_in_turn_idx ON public.event_triggers USING btree (project_id, expires_at) WHERE (status = 'waiting'::text);
CREATE INDEX event_triggers_ended_idx ON public.event_triggers USING btree (finished_at) WHERE (status <> 'waiting'::text);
CREATE INDEX event_triggers_ended_key_idx ON public.event_triggers USING btree (project_id, event_key, id) WHERE ((status <> 'waiting'::text) AND (wait_kind = 'event'::text));
CREATE INDEX event_triggers_job_run_idx ON public.event_triggers USING btree (project_id, job_run_id, ordinal) WHERE (job_run_id IS NOT NULL);
CREATE INDEX event_triggers_send_idx ON public.event_triggers USING btree (project_id, send_id) WHERE (send_id IS NOT NULL);
CREATE INDEX event_triggers_soonest_idx ON public.event_triggers USING btree (expires_at, id, project_id) WHERE (status = 'waiting'::text);
CREATE INDEX event_triggers_status_idx ON public.event_triggers USING btree (status, project_id, id);
CREATE UNIQUE INDEX event_triggers_waiting_key_idx ON public.event_triggers USING btree (project_id, event_key) WHERE ((status = 'waiting'::text) AND (wait_kind = 'event'::text));
CREATE INDEX event_triggers_workflow_run_idx ON public.event_triggers USING btree (project_id, workflow_run_id, id) WHERE (workflow_run_id IS NOT NULL);
comment on table event_triggers is 'A wait of a run or step: for an event, a time, a child run or an approval; written by flow when it is opened and resolved.';
comment on column event_triggers.wait_kind is 'Only `event` has a key of the user''s; the others have one made of their own id.';
comment on column event_triggers.generation is 'Of the step run, when it began to wait.';
comment on column event_triggers.ordinal is 'Numbers the waits of a run from 1.';
comment on column event_triggers.child_run_id is 'The child for whose end the run waits.';
comment on column event_triggers.send_id is 'The prefix send that resolved it, if the send may be repeated.';

create table idempotency_keys (
  project_id uuid not null,
  target_id uuid not null,
  environment_id uuid not null,
  key text not null,
  body_hash bytea not null,
  run_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (project_id, target_id, environment_id, key)
);
CREATE INDEX idempotency_keys_expires_idx ON public.idempotency_keys USING btree (expires_at);
comment on table idempotency_keys is 'The result of a request with an Idempotency-Key; inserted by flow with what the request created.';
comment on column idempotency_keys.target_id is 'The job or workflow; for sends of events, derived from the event key or prefix.';

create table instances (
  id uuid not null,
  roles text[] not null,
  version text not null,
  address text not null,
  started_at timestamp(3) with time zone not null,
  seen_at timestamp(3) with time zone not null,
  name text,
  machine text,
  pid integer,
  process_start text,
  holds_data_dir boolean not null default false,
  gone_at timestamp(3) with time zone,
  constraint instances_pkey PRIMARY KEY (id)
);
comment on table instances is 'A running process of the service; each instance writes its own row, and others note when it is gone.';
comment on column instances.machine is 'The boot of the machine and the namespace of process ids, in which pid and process_start name one process.';
comment on column instances.process_start is 'When the process was started, as the system reports it: it distinguishes processes with the same pid.';
comment on column instances.gone_at is 'When another instance found that the process is gone; its leases are then released before they run out.';

create table invariants (
  name text not null,
  violations integer not null,
  violated_since timestamp(3) with time zone,
  checked_at timestamp(3) with time zone not null,
  constraint invariants_pkey PRIMARY KEY (name)
);
comment on table invariants is 'The last check of an invariant of the service; written by the background task that checks them.';
comment on column invariants.violations is 'Rows that violate it, at most 1,000; for one that is checked page by page, those of the last page.';

create table invitations (
  project_id uuid not null,
  id uuid not null,
  email text not null,
  role_id uuid not null,
  token_hash bytea not null,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  constraint invitations_pkey PRIMARY KEY (project_id, id),
  constraint invitations_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX invitations_created_at_idx ON public.invitations USING btree (project_id, created_at, id);
CREATE INDEX invitations_expires_at_idx ON public.invitations USING btree (expires_at);
comment on table invitations is 'A link with which a person creates a local account and joins a project; written by the API of members, removed when it is used.';

create unlogged table ip_counters (
  limit_name text not null,
  client text not null,
  admitted integer[] not null,
  last_second bigint not null,
  constraint ip_counters_pkey PRIMARY KEY (limit_name, client)
);
CREATE INDEX ip_counters_last_second_idx ON public.ip_counters USING btree (last_second);
comment on table ip_counters is 'The requests of one client under one rate limit; written by the API as it admits them.';
comment on column ip_counters.admitted is 'How many requests were admitted in each of the last 61 seconds.';

create table job_costs (
  project_id uuid not null,
  job_id uuid not null,
  recent bigint[] not null,
  p95_microusd bigint not null,
  updated_at timestamp(3) with time zone not null,
  constraint job_costs_pkey PRIMARY KEY (project_id, job_id)
);
comment on table job_costs is 'What the last 100 runs of a job cost; written by flow when costs are settled.';
comment on column job_costs.p95_microusd is 'What is reserved for the next run: 95 of 100 did not exceed it.';

create table job_dependencies (
  project_id uuid not null,
  job_id uuid not null,
  depends_on_job_id uuid not null,
  condition text not null,
  created_at timestamp(3) with time zone not null,
  constraint job_dependencies_pkey PRIMARY KEY (project_id, job_id, depends_on_job_id),
  constraint job_dependencies_project_id_depends_on_job_id_fkey FOREIGN KEY (project_id, depends_on_job_id) REFERENCES jobs(project_id, id) ON DELETE CASCADE,
  constraint job_dependencies_project_id_job_id_fkey FOREIGN KEY (project_id, job_id) REFERENCES jobs(project_id, id) ON DELETE CASCADE,
  constraint job_dependencies_check CHECK ((job_id <> depends_on_job_id)),
  constraint job_dependencies_condition_check CHECK ((condition = ANY (ARRAY['completed'::text, 'ended'::text])))
);
CREATE INDEX job_dependencies_other_idx ON public.job_dependencies USING btree (project_id, depends_on_job_id);
comment on table job_dependencies is 'A job whose newest active run a new run of another job waits for; written by the API of jobs.';

create table job_versions (
  project_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  version integer not null,
  endpoint_url text,
  host text not null,
  headers bytea not null,
  timeout_secs integer not null,
  heartbeat_timeout_secs integer not null,
  max_attempts integer not null,
  retry_strategy text not null,
  retry_delays_secs integer[],
  default_run_metadata jsonb not null default '{}'::jsonb,
  payload_schema jsonb,
  result_schema jsonb,
  max_cost_microusd bigint,
  on_failure_job_id uuid,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  unreachable_timeout_secs integer not null default 86400,
  delivery text not null default 'push'::text,
  constraint job_versions_pkey PRIMARY KEY (project_id, id),
  constraint job_versions_project_id_job_id_version_key UNIQUE (project_id, job_id, version),
  constraint job_versions_project_id_job_id_fkey FOREIGN KEY (project_id, job_id) REFERENCES jobs(project_id, id) ON DELETE CASCADE,
  constraint job_versions_check CHECK (((retry_strategy = 'custom'::text) = (retry_delays_secs IS NOT NULL))),
  constraint job_versions_delivery_check CHECK ((delivery = ANY (ARRAY['push'::text, 'pull'::text]))),
  constraint job_versions_retry_strategy_check CHECK ((retry_strategy = ANY (ARRAY['exponential'::text, 'linear'::text, 'fixed'::text, 'custom'::text])))
);
CREATE INDEX job_versions_created_at_idx ON public.job_versions USING btree (project_id, job_id, created_at, id);
CREATE INDEX job_versions_pull_idx ON public.job_versions USING btree (project_id, job_id) WHERE (delivery = 'pull'::text);
comment on table job_versions is 'How runs of a job behave; inserted by the API of jobs, never changed.';
comment on column job_versions.host is 'host:port of the endpoint: runs queue per project and host. `pull:` for workers: then per project, job and environment.';
comment on column job_versions.headers is 'The whole object as JSON, encrypted with the project''s data key.';

create table jobs (
  project_id uuid not null,
  id uuid not null,
  slug text not null,
  name text not null,
  description text,
  environment_id uuid,
  tags jsonb not null default '{}'::jsonb,
  enabled boolean not null default true,
  paused_at timestamp(3) with time zone,
  max_concurrency integer,
  max_concurrency_per_key integer,
  rate_limit_max integer,
  rate_limit_window_secs integer,
  rate_limit_keys jsonb not null default '[]'::jsonb,
  is_limited boolean not null default ((max_concurrency IS NOT NULL) OR (max_concurrency_per_key IS NOT NULL) OR (rate_limit_max IS NOT NULL) OR (rate_limit_keys <> '[]'::jsonb)),
  cron text,
  timezone text not null default 'UTC'::text,
  cron_overlap_policy text not null default 'allow'::text,
  dedup_window_secs integer,
  debounce_window_secs integer,
  run_ttl_secs integer,
  priority integer not null default 0,
  estimated_cost_microusd bigint,
  cancel_on jsonb not null default '[]'::jsonb,
  version integer not null,
  version_id uuid not null,
  revision integer not null default 1,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  queue text not null default 'default'::text,
  queue_needs_check boolean not null default false,
  constraint jobs_pkey PRIMARY KEY (project_id, id),
  constraint jobs_project_id_environment_id_fkey FOREIGN KEY (project_id, environment_id) REFERENCES environments(project_id, id),
  constraint jobs_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint jobs_check CHECK (((rate_limit_max IS NULL) = (rate_limit_window_secs IS NULL))),
  constraint jobs_cron_overlap_policy_check CHECK ((cron_overlap_policy = ANY (ARRAY['allow'::text, 'skip'::text, 'cancel_running'::text])))
);
CREATE INDEX jobs_created_at_idx ON public.jobs USING btree (project_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX jobs_deleted_at_idx ON public.jobs USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX jobs_environment_idx ON public.jobs USING btree (environment_id, project_id);
CREATE INDEX jobs_queue_idx ON public.jobs USING btree (project_id, queue) WHERE (queue <> 'default'::text);
CREATE UNIQUE INDEX jobs_slug_idx ON public.jobs USING btree (project_id, slug) WHERE (deleted_at IS NULL);
comment on table jobs is 'A job with its live settings (limits, schedule, switches); written by the API of jobs.';
comment on column jobs.is_limited is 'The claim takes runs of unlimited jobs without reading a counter.';
comment on column jobs.revision is 'Rises with every change. A trigger that was prepared from an older revision is prepared again, so caches are never wrong.';
comment on column jobs.deleted_at is 'A job with runs is only marked: its history stays readable.';
comment on column jobs.queue is 'The name of its queue, which exists: a queue with jobs is not deleted.';
comment on column jobs.queue_needs_check is 'Its queue has limits or is paused. A change of the queue sets it, and raises the revision of its jobs.';

create table leaders (
  name text not null,
  holder uuid not null,
  epoch bigint not null,
  lease_until timestamp(3) with time zone not null,
  next_due_at timestamp(3) with time zone not null,
  constraint leaders_pkey PRIMARY KEY (name)
);
comment on table leaders is 'The leader lease of a background task that runs on one instance at a time; written by the instance that takes or renews it.';
comment on column leaders.epoch is 'Rises when the lease changes hands.';

create table log_cursors (
  consumer text not null,
  position bigint not null,
  counted_to timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null,
  constraint log_cursors_pkey PRIMARY KEY (consumer)
);
comment on table log_cursors is 'How far a consumer of the whole service has read; written by the consumer with what it derives. Log drains have cursors of their own.';
comment on column log_cursors.counted_to is 'Of recounts, which read no log: the time up to which they have counted.';

create table log_drains (
  project_id uuid not null,
  id uuid not null,
  environment_id uuid,
  name text not null,
  url text not null,
  format text not null,
  auth_type text not null,
  auth_name text,
  credentials bytea,
  min_level text not null,
  job_ids uuid[],
  enabled boolean not null,
  position bigint not null,
  after_id uuid not null,
  next_attempt_at timestamp(3) with time zone not null,
  claim_token uuid,
  claimed_by uuid,
  consecutive_failures integer not null default 0,
  last_status_code integer,
  last_error text,
  last_delivered_at timestamp(3) with time zone,
  delivered_count bigint not null default 0,
  dropped_count bigint not null default 0,
  refused_count bigint not null default 0,
  dropped_unreported bigint not null default 0,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  signal text not null default 'logs'::text,
  constraint log_drains_pkey PRIMARY KEY (project_id, id),
  constraint log_drains_project_id_environment_id_fkey FOREIGN KEY (project_id, environment_id) REFERENCES environments(project_id, id),
  constraint log_drains_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint log_drains_auth_type_check CHECK ((auth_type = ANY (ARRAY['none'::text, 'bearer'::text, 'basic'::text, 'header'::text]))),
  constraint log_drains_format_check CHECK ((format = ANY (ARRAY['json'::text, 'ndjson'::text, 'otlp'::text, 'loki'::text]))),
  constraint log_drains_min_level_check CHECK ((min_level = ANY (ARRAY['debug'::text, 'info'::text, 'warn'::text, 'error'::text]))),
  constraint log_drains_signal_check CHECK ((signal = ANY (ARRAY['logs'::text, 'traces'::text, 'metrics'::text])))
);
CREATE INDEX log_drains_due_idx ON public.log_drains USING btree (next_attempt_at) WHERE enabled;
comment on table log_drains is 'A receiver of a project''s log lines with its cursor; written by the API of log drains and by the sender. While the receiver is down, lines stay in run_logs.';
comment on column log_drains.auth_name is 'The user of `basic`, the name of the header: what may be shown.';
comment on column log_drains.position is 'Everything before this position of the changelog was sent or skipped, and at it the lines up to after_id.';
comment on column log_drains.dropped_unreported is 'How many of the dropped lines have not been reported to the receiver yet.';
comment on column log_drains.signal is 'What it sends: log lines, or a span for each run, attempt, workflow run and step that has ended, or sums by job and minute.';

create table map_items (
  project_id uuid not null,
  workflow_run_id uuid not null,
  step_ref text not null,
  item_index integer not null,
  generation integer not null,
  status text not null,
  prev_status text,
  item jsonb not null,
  output jsonb,
  error jsonb,
  run_id uuid,
  child_workflow_run_id uuid,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint map_items_pkey PRIMARY KEY (project_id, workflow_run_id, step_ref, item_index),
  constraint map_items_check CHECK (((finished_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'canceled'::text])))),
  constraint map_items_transitions CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>pending'::text, 'pending>running'::text, 'pending>failed'::text, 'pending>canceled'::text, 'running>completed'::text, 'running>failed'::text, 'running>canceled'::text, 'failed>pending'::text, 'canceled>pending'::text])))
);
CREATE INDEX map_items_running_idx ON public.map_items USING btree (project_id, workflow_run_id, step_ref, item_index) WHERE (status = 'running'::text);
comment on table map_items is 'An item of a map step; written by flow under the lock of the workflow run.';
comment on column map_items.generation is 'The generation of the step in which the item was last started.';

create table map_steps (
  project_id uuid not null,
  workflow_run_id uuid not null,
  step_ref text not null,
  scope jsonb not null,
  total integer not null,
  pending integer not null,
  running integer not null,
  failed integer not null,
  next_index integer not null default 0,
  constraint map_steps_pkey PRIMARY KEY (project_id, workflow_run_id, step_ref)
);
comment on table map_steps is 'A map step that was started, with the counts of its items; written by flow under the lock of the workflow run.';
comment on column map_steps.scope is 'What the payload of the items reads of the run''s payload and of other steps, as it was at the start.';
comment on column map_steps.next_index is 'No item before it is pending.';

create table members (
  project_id uuid not null,
  id uuid not null,
  subject text not null,
  name text,
  role_id uuid not null,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  by_rule boolean not null default false,
  last_seen_at timestamp(3) with time zone,
  constraint members_pkey PRIMARY KEY (project_id, id),
  constraint members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX members_of_subject_idx ON public.members USING btree (subject);
CREATE INDEX members_role_idx ON public.members USING btree (project_id, role_id);
CREATE UNIQUE INDEX members_subject_idx ON public.members USING btree (project_id, subject);
comment on table members is 'A person''s role in a project; written by the API of members.';
comment on column members.subject is 'As the identity provider names the person.';
comment on column members.by_rule is 'A rule of SIGN_IN_RULES assigned the role: the membership follows the rules. False: people assigned it, and rules leave it alone.';
comment on column members.last_seen_at is 'Written at most once a minute by requests of the person in the project.';

create table outbox (
  project_id uuid not null,
  transition_id text not null,
  kind text not null,
  target_id text not null,
  detail jsonb,
  created_at timestamp(3) with time zone not null,
  claimed_by uuid,
  claimed_until timestamp(3) with time zone,
  constraint outbox_pkey PRIMARY KEY (project_id, transition_id, kind, target_id)
);
CREATE INDEX outbox_lane_idx ON public.outbox USING btree (project_id, kind, created_at);
comment on table outbox is 'Work to do after a commit; inserted by the transaction that causes it, deleted by the instance that has done it.';
comment on column outbox.transition_id is '<run id>:<ordinal> of the transition. Part of the key, so that the transition causes the work once.';
comment on column outbox.claimed_by is 'The instance that is doing it, until claimed_until.';

create table outbox_sources (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  host text not null,
  port integer not null,
  database text not null,
  username text not null,
  sslmode text not null,
  database_url bytea not null,
  enabled boolean not null,
  claim_token uuid,
  claimed_by uuid,
  next_attempt_at timestamp(3) with time zone not null,
  drained_ids uuid[] not null default '{}'::uuid[],
  consecutive_failures integer not null default 0,
  failing_since timestamp(3) with time zone,
  last_error text,
  last_drained_at timestamp(3) with time zone,
  drained_count bigint not null default 0,
  refused_count bigint not null default 0,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint outbox_sources_pkey PRIMARY KEY (project_id, id),
  constraint outbox_sources_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint outbox_sources_sslmode_check CHECK ((sslmode = ANY (ARRAY['disable'::text, 'require'::text, 'verify-full'::text])))
);
CREATE INDEX outbox_sources_created_at_idx ON public.outbox_sources USING btree (project_id, created_at, id);
CREATE INDEX outbox_sources_due_idx ON public.outbox_sources USING btree (next_attempt_at) WHERE enabled;
comment on table outbox_sources is 'A database of an application whose enqueued rows become runs; written by the API of outbox sources and by the drainer.';
comment on column outbox_sources.database_url is 'Encrypted. The columns before it are the parts that may be shown.';
comment on column outbox_sources.next_attempt_at is 'When it is claimed next; while it is claimed, the end of the claim.';
comment on column outbox_sources.drained_ids is 'The rows whose runs were committed last: they are deleted from the application''s database before more are read.';

create table project_budgets (
  project_id uuid not null,
  monthly_budget_microusd bigint,
  action text not null,
  thresholds integer[] not null,
  period_starts_at timestamp(3) with time zone not null,
  settled_microusd bigint not null default 0,
  reserved_microusd bigint not null default 0,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  raised_thresholds integer[] not null default '{}'::integer[],
  blocked_at timestamp(3) with time zone,
  reconciled_at timestamp(3) with time zone,
  constraint project_budgets_pkey PRIMARY KEY (project_id),
  constraint project_budgets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint project_budgets_action_check CHECK ((action = ANY (ARRAY['notify'::text, 'block'::text]))),
  constraint project_budgets_reserved_microusd_check CHECK ((reserved_microusd >= 0))
);
comment on table project_budgets is 'What a project may still spend; written by flow, which reserves in the transaction that creates a run. No row: no budget.';
comment on column project_budgets.reserved_microusd is 'The sum of the project''s budget_reservations.';
comment on column project_budgets.raised_thresholds is 'Percentages that were reported in this period.';
comment on column project_budgets.blocked_at is 'When the first run of this period was refused or blocked.';

create table project_configs (
  project_id uuid not null,
  revision integer not null,
  objects jsonb not null,
  applying_by text,
  applying_until timestamp(3) with time zone,
  updated_by text not null,
  updated_at timestamp(3) with time zone not null,
  constraint project_configs_pkey PRIMARY KEY (project_id),
  constraint project_configs_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint project_configs_check CHECK (((applying_by IS NULL) = (applying_until IS NULL)))
);
comment on table project_configs is 'Which objects of a project are managed as code, and who is applying a configuration; written by the API of project configs.';
comment on column project_configs.revision is 'Raised by every change. A writer names the one it has read.';

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
comment on table projects is 'A tenant; written by the API of projects.';
comment on column projects.wrapped_data_key is 'The project''s own AES-256 key, wrapped by ENCRYPTION_KEY.';
comment on column projects.webhook_secret is 'Encrypted with the data key. Requests are signed with this one and the previous one during the grace period of a rotation.';

create table queues (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  max_concurrency integer,
  rate_limit_max integer,
  rate_limit_window_secs integer,
  weight integer not null default 100,
  paused_at timestamp(3) with time zone,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint queues_pkey PRIMARY KEY (project_id, id),
  constraint queues_project_id_name_key UNIQUE (project_id, name),
  constraint queues_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint queues_check CHECK (((rate_limit_max IS NULL) = (rate_limit_window_secs IS NULL))),
  constraint queues_weight_check CHECK (((weight >= 1) AND (weight <= 1000)))
);
CREATE INDEX queues_created_at_idx ON public.queues USING btree (project_id, created_at, id);
comment on table queues is 'Limits and a pause that several jobs share; written by the API of queues, the queue `default` with its project.';

create table rate_windows (
  project_id uuid not null,
  key text not null,
  job_id uuid,
  window_secs integer not null,
  starts integer[] not null,
  last_slot bigint not null,
  next_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone not null,
  constraint rate_windows_pkey PRIMARY KEY (project_id, key)
);
CREATE INDEX rate_windows_next_idx ON public.rate_windows USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX rate_windows_next_in_turn_idx ON public.rate_windows USING btree (project_id, next_at) WHERE (next_at IS NOT NULL);
comment on table rate_windows is 'The starts in the last window of a rate limit; written by flow when runs are claimed.';
comment on column rate_windows.key is 'rate:<job>:<name>:<key>.';
comment on column rate_windows.starts is 'The window in 61 slots.';
comment on column rate_windows.next_at is 'While runs are blocked on the limit: when the next may start.';

create table removed_runs (
  project_id uuid not null,
  ended_before timestamp(3) with time zone not null,
  constraint removed_runs_pkey PRIMARY KEY (project_id)
);
comment on table removed_runs is 'How far retention has removed the runs of a project; written by the removal of old runs.';
comment on column removed_runs.ended_before is 'Derived transitions are removed with their run, stored ones later with their partition: a recount of an earlier time would miss runs.';

create table repairs (
  kind text not null,
  count bigint not null,
  repaired_at timestamp(3) with time zone not null,
  constraint repairs_pkey PRIMARY KEY (kind)
);
comment on table repairs is 'How often reconciliation has repaired something, by kind; written with each repair.';

create table roles (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  permissions text[] not null,
  parent_role_id uuid,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint roles_pkey PRIMARY KEY (project_id, id),
  constraint roles_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE UNIQUE INDEX roles_name_idx ON public.roles USING btree (project_id, name);
CREATE INDEX roles_parent_idx ON public.roles USING btree (project_id, parent_role_id) WHERE (parent_role_id IS NOT NULL);
comment on table roles is 'A role that a project defined; written by the API of roles. Built-in roles are constants in the code.';

create table rollups (
  project_id uuid not null,
  series text not null,
  split text not null,
  grain integer not null,
  bucket_at timestamp(3) with time zone not null,
  subject_id uuid not null,
  environment_id uuid not null,
  part text not null,
  counts bigint[] not null,
  sketch bytea,
  sketch_packed integer not null default 0,
  constraint rollups_pkey PRIMARY KEY (project_id, series, split, grain, bucket_at, subject_id, environment_id, part)
);
comment on table rollups is 'Counts of one series in one bucket of time; written by the consumers of the changelog that keep sums, and corrected by the reconcilers.';
comment on column rollups.series is 'What is counted: runs, workflows, errors, events, webhooks.';
comment on column rollups.split is 'By what it is split: all, job, job_version, trigger and others; subject_id and part have the value.';
comment on column rollups.grain is 'Seconds of a bucket; 0: all time.';
comment on column rollups.subject_id is 'A job, a workflow or a subscription; the nil id: all of them.';
comment on column rollups.environment_id is 'The nil id: in none.';
comment on column rollups.counts is 'In the order that `series.ts` defines.';
comment on column rollups.sketch is 'Durations as a histogram of logarithmic bins (`sketch.ts`): merged ones are as exact as one. Additions are appended, so that one statement writes a batch without reading.';
comment on column rollups.sketch_packed is 'The length of the sketch when it was last merged: past twice that it is merged again.';

create table run_blocks (
  project_id uuid not null,
  id uuid not null,
  status text not null,
  newest_id uuid not null,
  oldest_id uuid not null,
  run_ids uuid[] not null,
  terms integer[],
  indexed_at timestamp(3) with time zone not null,
  bloom_filters bytea,
  constraint run_blocks_pkey PRIMARY KEY (project_id, id),
  constraint run_blocks_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text, 'timed_out'::text, 'canceled'::text])))
);
CREATE INDEX run_blocks_indexed_at_idx ON public.run_blocks USING btree (indexed_at);
CREATE INDEX run_blocks_newest_idx ON public.run_blocks USING btree (project_id, status, newest_id, oldest_id);
CREATE INDEX run_blocks_oldest_idx ON public.run_blocks USING btree (project_id, status, oldest_id, newest_id);
CREATE INDEX run_blocks_terms_idx ON public.run_blocks USING gin (terms);
CREATE INDEX run_blocks_whole_idx ON public.run_blocks USING btree (project_id, status, newest_id) WHERE (terms IS NULL);
comment on table run_blocks is 'A block of the search index, with up to 128 runs that ended; inserted by the background task that indexes runs.';
comment on column run_blocks.terms is 'Hashes of all terms in the block. Null: too many to list, so its runs are always read.';
comment on column run_blocks.bloom_filters is 'A Bloom filter for each run, in the order of run_ids: 256 bits, of which each term sets three.';

create table run_capsules (
  project_id uuid not null,
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
  created_at timestamp(3) with time zone not null,
  constraint run_capsules_pkey PRIMARY KEY (project_id, id),
  constraint run_capsules_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
comment on table run_capsules is 'A workflow run of another installation, to inspect and replay; inserted by the import, never changed.';
comment on column run_capsules.environment_id is 'The environment to which the importing key is bound; null: none. A bound key sees those of its own environment.';
comment on column run_capsules.document is 'Canonical JSON as text: an export is the same to the byte.';

create table run_checkpoints (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  attempt integer not null,
  state jsonb not null,
  created_at timestamp(3) with time zone not null,
  constraint run_checkpoints_pkey PRIMARY KEY (project_id, run_id, id)
);
comment on table run_checkpoints is 'A checkpoint that a run saved; inserted by the API when the run sends it.';

create table run_dependencies (
  project_id uuid not null,
  run_id uuid not null,
  depends_on_run_id uuid not null,
  depends_on_job_id uuid not null,
  condition text not null,
  source text not null,
  ended_as text,
  settled_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint run_dependencies_pkey PRIMARY KEY (project_id, run_id, depends_on_run_id),
  constraint run_dependencies_check CHECK (((ended_as IS NULL) = (settled_at IS NULL))),
  constraint run_dependencies_condition_check CHECK ((condition = ANY (ARRAY['completed'::text, 'ended'::text]))),
  constraint run_dependencies_ended_as_check CHECK ((ended_as = ANY (ARRAY['completed'::text, 'failed'::text, 'timed_out'::text, 'canceled'::text]))),
  constraint run_dependencies_source_check CHECK ((source = ANY (ARRAY['run'::text, 'job'::text])))
);
CREATE INDEX run_dependencies_open_idx ON public.run_dependencies USING btree (project_id, depends_on_run_id, run_id) WHERE (settled_at IS NULL);
comment on table run_dependencies is 'A run that another run waits for; written by flow under the lock of the run that waits.';
comment on column run_dependencies.source is 'Whether the request named the run, or a dependency of the job.';
comment on column run_dependencies.ended_as is 'How the other run ended; it may be removed after that. Null: not ended, as far as this run knows.';

create table run_logs (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  attempt integer not null,
  level text not null,
  message text not null,
  fields jsonb,
  logged_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null,
  constraint run_logs_pkey PRIMARY KEY (project_id, run_id, created_at, id),
  constraint run_logs_level_check CHECK ((level = ANY (ARRAY['debug'::text, 'info'::text, 'warn'::text, 'error'::text])))
);
CREATE INDEX run_logs_created_at_idx ON ONLY public.run_logs USING btree (project_id, created_at, id);
comment on table run_logs is 'A log line of a run; inserted by the API when the run sends it.';
comment on column run_logs.logged_at is 'When the run wrote the line; created_at is when the service received it.';

create table run_logs_rest (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  attempt integer not null,
  level text not null,
  message text not null,
  fields jsonb,
  logged_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null,
  constraint run_logs_rest_pkey PRIMARY KEY (project_id, run_id, created_at, id),
  constraint run_logs_level_check CHECK ((level = ANY (ARRAY['debug'::text, 'info'::text, 'warn'::text, 'error'::text])))
);
CREATE INDEX run_logs_rest_project_id_created_at_id_idx ON public.run_logs_rest USING btree (project_id, created_at, id);
comment on table run_logs_rest is 'Log lines of days without a partition; PostgreSQL puts them here.';

create table run_outputs (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  attempt integer not null,
  name text not null,
  value jsonb not null,
  created_at timestamp(3) with time zone not null,
  constraint run_outputs_pkey PRIMARY KEY (project_id, run_id, id)
);
comment on table run_outputs is 'A named output of a run in addition to its result; inserted by the API when the run sends it.';

create table run_queue (
  project_id uuid not null,
  run_id uuid not null,
  job_id uuid not null,
  host text not null,
  rank_at timestamp with time zone not null,
  interleave_at timestamp with time zone,
  run_at timestamp(3) with time zone not null,
  concurrency_key text,
  blocked_on text,
  debounce_key text,
  expires_at timestamp(3) with time zone,
  timeout_secs integer not null,
  lease_until timestamp(3) with time zone,
  lease_token uuid,
  instance_id uuid,
  accepted_at timestamp(3) with time zone,
  deadline timestamp(3) with time zone,
  heartbeat_timeout_secs integer,
  slots text[],
  workflow_run_id uuid,
  stopped text,
  granted_by text,
  kept text[],
  refusals integer not null default 0,
  refused_at timestamp(3) with time zone,
  released_at timestamp with time zone,
  limits text[],
  unreachable_since timestamp(3) with time zone,
  unreachable_until timestamp(3) with time zone,
  worker_id text,
  claim_id uuid,
  turn_at timestamp with time zone,
  first_of_claim uuid,
  constraint run_queue_pkey PRIMARY KEY (project_id, run_id),
  constraint run_queue_check CHECK (((lease_until IS NULL) = (lease_token IS NULL))),
  constraint run_queue_check1 CHECK (((lease_until IS NULL) OR (blocked_on IS NULL))),
  constraint run_queue_kept_check CHECK (((kept IS NULL) OR (granted_by IS NOT NULL))),
  constraint run_queue_stopped_check CHECK ((stopped = ANY (ARRAY['cancel'::text, 'pause'::text, 'batch'::text])))
);
CREATE INDEX run_queue_blocked_idx ON public.run_queue USING btree (project_id, blocked_on, rank_at, run_id) WHERE ((blocked_on IS NOT NULL) AND (blocked_on <> 'not_due'::text));
CREATE INDEX run_queue_blocked_turn_idx ON public.run_queue USING btree (project_id, blocked_on, job_id, turn_at, run_id) WHERE ((turn_at IS NOT NULL) AND (blocked_on IS NOT NULL) AND (blocked_on <> 'not_due'::text));
CREATE INDEX run_queue_claim_idx ON public.run_queue USING btree (project_id, host, rank_at, run_id) WHERE ((lease_until IS NULL) AND (blocked_on IS NULL) AND (stopped IS NULL));
CREATE INDEX run_queue_claimed_idx ON public.run_queue USING btree (project_id, worker_id, claim_id) WHERE (worker_id IS NOT NULL);
CREATE UNIQUE INDEX run_queue_debounce_idx ON public.run_queue USING btree (project_id, debounce_key) WHERE (debounce_key IS NOT NULL);
CREATE INDEX run_queue_due_idx ON public.run_queue USING btree (run_at) WHERE (blocked_on = 'not_due'::text);
CREATE INDEX run_queue_due_in_turn_idx ON public.run_queue USING btree (project_id, run_at) WHERE (blocked_on = 'not_due'::text);
CREATE INDEX run_queue_expires_idx ON public.run_queue USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (lease_until IS NULL) AND (stopped IS NULL));
CREATE INDEX run_queue_expires_in_turn_idx ON public.run_queue USING btree (project_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (lease_until IS NULL) AND (stopped IS NULL));
CREATE UNIQUE INDEX run_queue_first_of_claim_idx ON public.run_queue USING btree (project_id, worker_id, first_of_claim) WHERE ((worker_id IS NOT NULL) AND (first_of_claim IS NOT NULL));
CREATE INDEX run_queue_granted_idx ON public.run_queue USING btree (project_id, job_id, rank_at, run_id) WHERE (granted_by IS NOT NULL);
CREATE INDEX run_queue_interleave_idx ON public.run_queue USING btree (project_id, job_id, ((interleave_at - turn_at)), interleave_at) WHERE ((interleave_at IS NOT NULL) AND (lease_until IS NULL));
CREATE INDEX run_queue_key_interleave_idx ON public.run_queue USING btree (project_id, job_id, concurrency_key, ((interleave_at - turn_at)), interleave_at) WHERE ((interleave_at IS NOT NULL) AND (lease_until IS NULL));
CREATE INDEX run_queue_lease_idx ON public.run_queue USING btree (lease_until) WHERE (lease_until IS NOT NULL);
CREATE INDEX run_queue_stopped_idx ON public.run_queue USING btree (project_id, stopped, run_id) WHERE (stopped = ANY (ARRAY['cancel'::text, 'batch'::text]));
CREATE INDEX run_queue_turn_idx ON public.run_queue USING btree (project_id, job_id, host, turn_at, run_id) WHERE ((turn_at IS NOT NULL) AND (lease_until IS NULL) AND (blocked_on IS NULL) AND (stopped IS NULL));
CREATE INDEX run_queue_unreachable_idx ON public.run_queue USING btree (project_id, host, unreachable_until) WHERE (unreachable_until IS NOT NULL);
CREATE INDEX run_queue_workflow_run_idx ON public.run_queue USING btree (project_id, workflow_run_id) WHERE (workflow_run_id IS NOT NULL);
comment on table run_queue is 'A run that is queued, or runs under a lease; written by flow, and deleted when the run ends, waits or pauses.';
comment on column run_queue.host is 'host:port of the endpoint; project and host are the lane of the run.';
comment on column run_queue.rank_at is 'The position in the queue: when the run became due, a minute earlier for each point of priority.';
comment on column run_queue.interleave_at is 'The position among the runs of its job with other concurrency keys, before priority. Null: no concurrency key.';
comment on column run_queue.blocked_on is 'Why the run cannot be claimed; null when it can.';
comment on column run_queue.debounce_key is 'Triggers that share it become one run, until that is claimed.';
comment on column run_queue.expires_at is 'The run is canceled if it was not started by then.';
comment on column run_queue.instance_id is 'The instance that renews the lease. Null while the run itself does (accepted with 202).';
comment on column run_queue.slots is 'Keys of the concurrency counters that the run holds.';
comment on column run_queue.workflow_run_id is 'The workflow run whose cancel or pause stops the run; null for compensations.';
comment on column run_queue.stopped is 'A cancel or pause of the workflow run stops the run in its own commit: the row is not claimed, whatever else releases it. `batch`: a bulk cancel has the run on its list.';
comment on column run_queue.granted_by is 'The limit that had room for the run when it was released. Until the run is claimed, later runs that need the limit wait behind it.';
comment on column run_queue.kept is 'Limits in which the run keeps its place while it waits for the next, after repeated refusals; granted_by is the first of them.';
comment on column run_queue.refusals is 'How often limits have refused the run since it was queued; refused_at is when first.';
comment on column run_queue.released_at is 'When the run was last unblocked, by a limit or otherwise.';
comment on column run_queue.limits is 'The limits of a blocked run that depend on its payload (named rate limits). A later run that needs all of them too does not start before it.';
comment on column run_queue.unreachable_since is 'Since when the run has waited for an endpoint that cannot be reached. Null: it does not.';
comment on column run_queue.unreachable_until is 'When the run fails, unless the endpoint is reached before.';
comment on column run_queue.worker_id is 'The worker that holds the lease. Null: an instance of the service does, or nobody.';
comment on column run_queue.claim_id is 'The request with which the worker claimed the run: repeated, it returns the run again.';
comment on column run_queue.turn_at is 'The turn of a run among those of its job with other concurrency keys: interleave_at, a minute earlier for each point of priority. In this order the runs of a job take its places in the queue.';
comment on column run_queue.first_of_claim is 'The claim_id, on one of the runs that were claimed first: no other instance can claim for the same request at that moment.';

create table run_tool_calls (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  attempt integer not null,
  name text not null,
  status text not null,
  input jsonb,
  output jsonb,
  error text,
  duration_ms integer,
  created_at timestamp(3) with time zone not null,
  constraint run_tool_calls_pkey PRIMARY KEY (project_id, run_id, id),
  constraint run_tool_calls_status_check CHECK ((status = ANY (ARRAY['completed'::text, 'failed'::text])))
);
comment on table run_tool_calls is 'A tool call of an agent that a run reported; inserted by the API when the run sends it.';

create table run_transitions (
  project_id uuid not null,
  run_id uuid not null,
  ordinal integer not null,
  from_status text,
  to_status text not null,
  cause text not null,
  attempt integer not null,
  detail jsonb,
  created_at timestamp(3) with time zone not null,
  constraint run_transitions_pkey PRIMARY KEY (project_id, run_id, ordinal, created_at)
);
CREATE INDEX run_transitions_created_at_idx ON ONLY public.run_transitions USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
comment on table run_transitions is 'A stored change of a run''s status; inserted by flow in the statement that changes it. Read through run_history.';

create table run_transitions_rest (
  project_id uuid not null,
  run_id uuid not null,
  ordinal integer not null,
  from_status text,
  to_status text not null,
  cause text not null,
  attempt integer not null,
  detail jsonb,
  created_at timestamp(3) with time zone not null,
  constraint run_transitions_rest_pkey PRIMARY KEY (project_id, run_id, ordinal, created_at)
);
CREATE INDEX run_transitions_rest_created_at_idx ON public.run_transitions_rest USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
comment on table run_transitions_rest is 'Transitions of days without a partition; PostgreSQL puts them here.';

create table run_trees (
  project_id uuid not null,
  root_run_id uuid not null,
  runs integer not null,
  updated_at timestamp(3) with time zone not null,
  constraint run_trees_pkey PRIMARY KEY (project_id, root_run_id)
);
CREATE INDEX run_trees_updated_idx ON public.run_trees USING btree (updated_at);
comment on table run_trees is 'How many runs are connected by spawning, by the run at the top; written by flow when a run spawns another.';

create table run_usage (
  project_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  attempt integer not null,
  provider text,
  model text,
  input_tokens bigint,
  output_tokens bigint,
  cost_microusd bigint not null default 0,
  metadata jsonb,
  created_at timestamp(3) with time zone not null,
  constraint run_usage_pkey PRIMARY KEY (project_id, run_id, id)
);
comment on table run_usage is 'Tokens and cost that a run reported; inserted by the API when the run sends it.';

create table runs (
  project_id uuid not null,
  id uuid not null,
  job_id uuid not null,
  job_version_id uuid not null,
  environment_id uuid not null,
  status text not null,
  prev_status text,
  transition_count integer not null default 1,
  attempt integer not null default 0,
  tries_used integer not null default 0,
  crash_count integer not null default 0,
  max_attempts integer not null,
  timeout_secs integer not null,
  priority integer not null default 0,
  payload jsonb not null,
  metadata jsonb not null default '{}'::jsonb,
  tags jsonb not null default '{}'::jsonb,
  result jsonb,
  error jsonb,
  state jsonb,
  progress jsonb,
  checkpoint jsonb,
  concurrency_key text,
  idempotency_key text,
  dedup_hash bytea,
  debounced integer not null default 0,
  batch_id uuid,
  created_by text not null,
  created_by_id text,
  trigger_type text not null,
  parent_run_id uuid,
  spawn_depth integer not null default 0,
  replay_of uuid,
  schedule_id uuid,
  workflow_run_id uuid,
  step_ref text,
  pause_requested boolean not null default false,
  cost_microusd bigint not null default 0,
  scheduled_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  dead_lettered_at timestamp(3) with time zone,
  replayed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  waits integer not null default 0,
  awaited_by uuid,
  parent_outputs jsonb,
  step_generation integer,
  replayed_by uuid,
  has_dependents boolean not null default false,
  open_dependencies integer not null default 0,
  chain_depth integer not null default 0,
  derived_transitions smallint not null default 0,
  end_http_status smallint,
  end_duration_ms integer,
  traceparent text,
  constraint runs_pkey PRIMARY KEY (project_id, id),
  constraint runs_check CHECK (((finished_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'timed_out'::text, 'canceled'::text])))),
  constraint runs_open_dependencies_check CHECK ((open_dependencies >= 0)),
  constraint runs_transitions CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>pending'::text, 'pending>running'::text, 'pending>paused'::text, 'pending>canceled'::text, 'pending>failed'::text, 'running>completed'::text, 'running>failed'::text, 'running>timed_out'::text, 'running>canceled'::text, 'running>pending'::text, 'running>waiting'::text, 'running>paused'::text, 'waiting>pending'::text, 'waiting>paused'::text, 'waiting>timed_out'::text, 'waiting>canceled'::text, 'paused>pending'::text, 'paused>canceled'::text]))),
  constraint runs_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['cron'::text, 'api'::text, 'event'::text, 'webhook'::text, 'workflow'::text, 'replay'::text, 'spawn'::text])))
);
CREATE INDEX runs_dead_letter_idx ON public.runs USING btree (project_id, id) WHERE (dead_lettered_at IS NOT NULL);
CREATE INDEX runs_dedup_idx ON public.runs USING btree (project_id, job_id, environment_id, dedup_hash, created_at) WHERE (dedup_hash IS NOT NULL);
CREATE INDEX runs_derived_idx ON public.runs USING brin (created_at timestamptz_minmax_multi_ops, finished_at timestamptz_minmax_multi_ops) WITH (pages_per_range='32', autosummarize='on') WHERE (derived_transitions > 0);
CREATE INDEX runs_of_job_idx ON public.runs USING btree (job_id, created_at);
CREATE INDEX runs_parent_idx ON public.runs USING btree (project_id, parent_run_id, id) WHERE (parent_run_id IS NOT NULL);
CREATE INDEX runs_replay_idx ON public.runs USING btree (project_id, replay_of) WHERE (replay_of IS NOT NULL);
CREATE INDEX runs_schedule_idx ON public.runs USING btree (project_id, schedule_id, id) WHERE (schedule_id IS NOT NULL);
CREATE UNIQUE INDEX runs_step_idx ON public.runs USING btree (project_id, workflow_run_id, step_ref, step_generation) WHERE (workflow_run_id IS NOT NULL);
comment on table runs is 'One durable execution of a job; written by flow when it is created and whenever its status changes.';
comment on column runs.transition_count is 'The number of status changes: the ordinal of the newest transition.';
comment on column runs.attempt is 'Rises at every claim and never repeats: the fence, and X-Svc-Attempt.';
comment on column runs.tries_used is 'What max_attempts limits.';
comment on column runs.crash_count is 'Leases lost without a response. Three end the run, whatever max_attempts says.';
comment on column runs.state is 'From the SDK: the last saved checkpoint.';
comment on column runs.progress is 'From the SDK: how far the run is.';
comment on column runs.checkpoint is 'The payload of the event that resumed the run.';
comment on column runs.dead_lettered_at is 'On the dead-letter list since then; null again when the run is replayed or discarded.';
comment on column runs.replayed_at is 'When a replay took the run off the dead-letter list: a dead letter is replayed once.';
comment on column runs.waits is 'How many waits the run has opened.';
comment on column runs.awaited_by is 'The event trigger with which the parent waits for the end of this run.';
comment on column runs.parent_outputs is 'The outputs of the preceding steps when the run was created.';
comment on column runs.step_generation is 'The generation of the step run to which this run belongs.';
comment on column runs.replayed_by is 'The newest run that a replay created from this one: replay_of in the other direction.';
comment on column runs.has_dependents is 'Other runs wait for the end of this one, which then adds an outbox entry. Set under the lock of this run, so that no end misses a dependent.';
comment on column runs.open_dependencies is 'How many dependencies are open. While there is one, the run is blocked on `dependency`.';
comment on column runs.chain_depth is 'How many emitted events led to this run.';
comment on column runs.derived_transitions is 'The number of first transitions without rows in run_transitions: run_history derives them from the run.';
comment on column runs.end_http_status is 'Of the derived transition that ends the run, as is end_duration_ms.';
comment on column runs.traceparent is 'The trace context of its caller, parent or step. Null: its trace begins with it, or with its workflow run.';

create table saved_views (
  project_id uuid not null,
  id uuid not null,
  name text not null,
  resource text not null,
  query jsonb not null,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint saved_views_pkey PRIMARY KEY (project_id, id),
  constraint saved_views_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
comment on table saved_views is 'The filter of a list under a name; written by the API of saved views.';

create table schedule_fires (
  project_id uuid not null,
  schedule_id uuid not null,
  scheduled_for timestamp(3) with time zone not null,
  outcome text not null,
  run_id uuid,
  reason text,
  created_at timestamp(3) with time zone not null,
  constraint schedule_fires_pkey PRIMARY KEY (project_id, schedule_id, scheduled_for),
  constraint schedule_fires_project_id_schedule_id_fkey FOREIGN KEY (project_id, schedule_id) REFERENCES schedules(project_id, id) ON DELETE CASCADE,
  constraint schedule_fires_outcome_check CHECK ((outcome = ANY (ARRAY['fired'::text, 'skipped'::text, 'missed'::text, 'refused'::text])))
);
CREATE INDEX schedule_fires_created_at_idx ON public.schedule_fires USING btree (created_at);
comment on table schedule_fires is 'A time at which a schedule was due, and what happened; inserted by flow once per time, so that two instances cannot fire it twice.';

create table schedules (
  project_id uuid not null,
  id uuid not null,
  name text,
  job_id uuid,
  workflow_id uuid,
  is_default boolean not null default false,
  cron text not null,
  timezone text not null,
  payload jsonb not null default '{}'::jsonb,
  overlap_policy text not null,
  environment_id uuid,
  paused_at timestamp(3) with time zone,
  next_fire_at timestamp(3) with time zone,
  last_fired_at timestamp(3) with time zone,
  last_run_id uuid,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint schedules_pkey PRIMARY KEY (project_id, id),
  constraint schedules_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint schedules_check CHECK (((job_id IS NULL) <> (workflow_id IS NULL))),
  constraint schedules_overlap_policy_check CHECK ((overlap_policy = ANY (ARRAY['allow'::text, 'skip'::text, 'cancel_running'::text])))
);
CREATE INDEX schedules_created_at_idx ON public.schedules USING btree (project_id, created_at, id);
CREATE UNIQUE INDEX schedules_default_job_idx ON public.schedules USING btree (project_id, job_id) WHERE (is_default AND (job_id IS NOT NULL));
CREATE UNIQUE INDEX schedules_default_workflow_idx ON public.schedules USING btree (project_id, workflow_id) WHERE (is_default AND (workflow_id IS NOT NULL));
CREATE INDEX schedules_due_idx ON public.schedules USING btree (next_fire_at) WHERE ((paused_at IS NULL) AND (next_fire_at IS NOT NULL));
CREATE INDEX schedules_due_in_turn_idx ON public.schedules USING btree (project_id, next_fire_at) WHERE ((paused_at IS NULL) AND (next_fire_at IS NOT NULL));
CREATE INDEX schedules_job_idx ON public.schedules USING btree (project_id, job_id);
CREATE INDEX schedules_workflow_idx ON public.schedules USING btree (project_id, workflow_id) WHERE (workflow_id IS NOT NULL);
comment on table schedules is 'A cron schedule of a job or workflow; written by flow, for the API and whenever it fires.';
comment on column schedules.is_default is 'Made from the `cron` of the job or workflow; changed and removed with it.';
comment on column schedules.next_fire_at is 'Null: it never fires again.';

create table scim_group_members (
  provider text not null,
  group_id uuid not null,
  user_id uuid not null,
  constraint scim_group_members_pkey PRIMARY KEY (provider, group_id, user_id),
  constraint scim_group_members_provider_group_id_fkey FOREIGN KEY (provider, group_id) REFERENCES scim_groups(provider, id) ON DELETE CASCADE,
  constraint scim_group_members_provider_user_id_fkey FOREIGN KEY (provider, user_id) REFERENCES scim_users(provider, id) ON DELETE CASCADE
);
CREATE INDEX scim_group_members_user_idx ON public.scim_group_members USING btree (provider, user_id);
comment on table scim_group_members is 'Who is in a provisioned group; written by SCIM requests.';

create table scim_groups (
  provider text not null,
  id uuid not null,
  display_name text not null,
  external_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint scim_groups_pkey PRIMARY KEY (provider, id)
);
CREATE UNIQUE INDEX scim_groups_display_name_idx ON public.scim_groups USING btree (provider, lower(display_name));
comment on table scim_groups is 'A group as an identity provider provisions it (SCIM); sign-in rules name it by display_name.';

create table scim_users (
  provider text not null,
  id uuid not null,
  user_name text not null,
  external_id text,
  subject text,
  emails text[] not null,
  active boolean not null,
  attributes jsonb not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint scim_users_pkey PRIMARY KEY (provider, id)
);
CREATE INDEX scim_users_emails_idx ON public.scim_users USING gin (emails);
CREATE INDEX scim_users_external_id_idx ON public.scim_users USING btree (provider, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX scim_users_subject_idx ON public.scim_users USING btree (provider, subject) WHERE (subject IS NOT NULL);
CREATE UNIQUE INDEX scim_users_user_name_idx ON public.scim_users USING btree (provider, lower(user_name));
comment on table scim_users is 'A person as an identity provider provisions them (SCIM); written by its requests.';
comment on column scim_users.subject is 'The subject of the person if the provider uses `externalId` as `sub`.';
comment on column scim_users.emails is 'Their addresses in lower case, the user name among them: finds the person who signs in.';
comment on column scim_users.attributes is 'Names and addresses as they were sent, to be returned.';
comment on column scim_users.deleted_at is 'Set when the provider deletes the person. The row stays, with what recognizes them, so that they cannot sign in; others do not see it.';

create table sessions (
  id uuid not null,
  kind text not null,
  project_id uuid,
  key_id uuid,
  code_hash bytea,
  token_hash bytea,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  secret_hash bytea,
  subject text,
  name text,
  email text,
  provider text,
  refresh_token bytea,
  check_due_at timestamp(3) with time zone,
  checked_at timestamp(3) with time zone,
  ip text,
  user_agent text,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_code_hash_key UNIQUE (code_hash),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_check CHECK (((kind = 'api_key'::text) = (key_id IS NOT NULL))),
  constraint sessions_check1 CHECK (((project_id IS NULL) = (key_id IS NULL))),
  constraint sessions_check2 CHECK (((code_hash IS NULL) <> (token_hash IS NULL))),
  constraint sessions_kind_check CHECK ((kind = ANY (ARRAY['internal_secret'::text, 'api_key'::text, 'member'::text]))) NOT VALID
);
CREATE INDEX sessions_expires_at_idx ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_subject_idx ON public.sessions USING btree (subject) WHERE (subject IS NOT NULL);
comment on table sessions is 'A session of the dashboard; written at sign-in, with a one-time code (sign-in link) or with its token.';
comment on column sessions.last_used_at is 'An idle session ends before it expires.';
comment on column sessions.secret_hash is 'Of the secret used at sign-in: the session ends when that secret changes.';
comment on column sessions.subject is 'Of a person: the subject of their memberships.';
comment on column sessions.provider is 'The identity provider in the settings that the person signed in with. Null: a local account.';
comment on column sessions.refresh_token is 'Encrypted with a key derived from the session''s token, which the service does not store.';
comment on column sessions.check_due_at is 'When the provider is asked again whether the person still has access. Null: never.';
comment on column sessions.checked_at is 'When the provider last confirmed it: a session that was not confirmed for an hour ends.';

create table sign_in_attempts (
  state_hash bytea not null,
  browser_hash bytea not null,
  provider text not null,
  return_to text not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX sign_in_attempts_expires_at_idx ON public.sign_in_attempts USING btree (expires_at);
comment on table sign_in_attempts is 'A browser that was sent to an identity provider and has not come back; written at sign-in.';
comment on column sign_in_attempts.browser_hash is 'Of the secret in the browser''s cookie, from which nonce and code verifier are derived.';

create table source_event_ids (
  project_id uuid not null,
  source_id uuid not null,
  name text not null,
  source_event_id uuid not null,
  expires_at timestamp(3) with time zone not null,
  constraint source_event_ids_pkey PRIMARY KEY (project_id, source_id, name)
);
CREATE INDEX source_event_ids_expires_idx ON public.source_event_ids USING btree (expires_at);
comment on table source_event_ids is 'The sender''s id of an event that was received, for deduplication within the window of its source; inserted by flow with the event.';

create table source_events (
  project_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  event_id text,
  type text,
  via text not null,
  status text not null,
  payload jsonb not null,
  metadata jsonb not null,
  error jsonb,
  results jsonb not null,
  matched integer not null,
  started integer not null,
  failed integer not null,
  chain_depth integer not null,
  parent_run_id uuid,
  replay_of uuid,
  received_by text not null,
  received_by_id text,
  created_at timestamp(3) with time zone not null,
  constraint source_events_pkey PRIMARY KEY (project_id, id),
  constraint source_events_status_check CHECK ((status = ANY (ARRAY['dispatched'::text, 'rejected'::text]))),
  constraint source_events_via_check CHECK ((via = ANY (ARRAY['dispatch'::text, 'inbound'::text])))
);
CREATE INDEX source_events_created_idx ON public.source_events USING btree (created_at);
CREATE INDEX source_events_source_idx ON public.source_events USING btree (project_id, source_id, created_at, id);
comment on table source_events is 'An event that a source received, with the runs it started; inserted by flow when it is dispatched or rejected.';
comment on column source_events.event_id is 'The sender''s own id of the event.';
comment on column source_events.chain_depth is 'How many events led to it, itself included.';

create table step_runs (
  project_id uuid not null,
  id uuid not null,
  workflow_run_id uuid not null,
  step_ref text not null,
  position integer not null,
  type text not null,
  status text not null,
  prev_status text,
  generation integer not null default 1,
  output jsonb,
  error jsonb,
  cause text,
  cause_ref text,
  run_id uuid,
  event_trigger_id uuid,
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  child_workflow_run_id uuid,
  input jsonb,
  completion integer,
  compensation_status text,
  compensations integer not null default 0,
  compensation_run_id uuid,
  compensation_error jsonb,
  compensated_at timestamp(3) with time zone,
  message text,
  constraint step_runs_pkey PRIMARY KEY (project_id, workflow_run_id, step_ref),
  constraint step_runs_check CHECK (((finished_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'skipped'::text, 'canceled'::text])))),
  constraint step_runs_compensation_status_check CHECK ((compensation_status = ANY (ARRAY['running'::text, 'completed'::text, 'failed'::text]))),
  constraint step_runs_transitions CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>pending'::text, 'pending>running'::text, 'pending>waiting'::text, 'pending>completed'::text, 'pending>failed'::text, 'pending>skipped'::text, 'pending>canceled'::text, 'running>completed'::text, 'running>failed'::text, 'running>skipped'::text, 'running>canceled'::text, 'running>pending'::text, 'waiting>completed'::text, 'waiting>failed'::text, 'waiting>skipped'::text, 'waiting>canceled'::text, 'waiting>pending'::text, 'completed>pending'::text, 'failed>pending'::text, 'skipped>pending'::text, 'canceled>pending'::text, 'failed>skipped'::text, 'canceled>skipped'::text])))
);
CREATE INDEX step_runs_active_idx ON public.step_runs USING btree (status, updated_at) WHERE (status = ANY (ARRAY['running'::text, 'waiting'::text]));
CREATE INDEX step_runs_compensating_idx ON public.step_runs USING btree (updated_at) WHERE (compensation_status = 'running'::text);
comment on table step_runs is 'A step of a workflow run; written by flow under the lock of the workflow run.';
comment on column step_runs.position is 'Its position in the definition.';
comment on column step_runs.generation is 'Rises when the step is reset: what belongs to an older generation is stale.';
comment on column step_runs.cause is 'Why it was skipped or canceled; cause_ref is the step that caused it.';
comment on column step_runs.input is 'The rendered input. Kept for steps with a compensation, which outlives the runs of its job.';
comment on column step_runs.completion is 'For steps with a compensation: the ordinal of the decision that completed it. Compensations start from the highest.';
comment on column step_runs.compensations is 'How often a compensation was started: the step_generation of its run, so that none starts twice.';
comment on column step_runs.message is 'What an approval asks, rendered when it began to wait. Null: nothing, or it has not begun.';

create table unindexed_runs (
  project_id uuid not null,
  run_id uuid not null,
  ended_status text,
  living_status text not null default 'unknown'::text,
  terms integer[],
  constraint unindexed_runs_pkey PRIMARY KEY (project_id, run_id)
);
CREATE INDEX unindexed_runs_ended_idx ON public.unindexed_runs USING btree (project_id, ended_status, run_id) WHERE (ended_status IS NOT NULL);
CREATE INDEX unindexed_runs_living_idx ON public.unindexed_runs USING btree (project_id, living_status, run_id) WHERE (ended_status IS NULL);
CREATE INDEX unindexed_runs_undescribed_idx ON public.unindexed_runs USING btree (run_id) WHERE ((terms IS NULL) AND (ended_status IS NULL) AND (living_status = ANY (ARRAY['waiting'::text, 'paused'::text])));
comment on table unindexed_runs is 'A run that the search index lists by itself: it has not ended, or does not fill a block yet; written by the same task.';
comment on column unindexed_runs.living_status is 'The status of an active run when it was last indexed; what has moved since is read anyway.';
comment on column unindexed_runs.terms is 'Hashes of a run that waits, perhaps for months, so that a search skips it without reading it. Null: not computed yet. Empty: too many terms, or the run is gone.';

create table usage_email_preferences (
  project_id uuid not null,
  caller text not null,
  monthly_usage_email boolean not null,
  email text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint usage_email_preferences_pkey PRIMARY KEY (project_id, caller)
);
comment on table usage_email_preferences is 'Whether a caller wants the monthly usage e-mail; written by the API of usage.';
comment on column usage_email_preferences.caller is 'key:<id>, member:<subject> or internal.';

create table usage_emails (
  project_id uuid not null,
  period_starts_at timestamp(3) with time zone not null,
  email text not null,
  status text not null,
  prev_status text,
  tries integer not null default 0,
  next_try_at timestamp(3) with time zone not null,
  error text,
  sent_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint usage_emails_pkey PRIMARY KEY (project_id, period_starts_at, email),
  constraint usage_emails_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text])))
);
CREATE INDEX usage_emails_next_try_idx ON public.usage_emails USING btree (next_try_at) WHERE (status = 'pending'::text);
comment on table usage_emails is 'A usage e-mail of a month to one address; written by the background tasks that plan and send them.';
comment on column usage_emails.next_try_at is 'When it is sent or tried again; while an instance sends it, when that attempt counts as lost.';

create table usage_periods (
  project_id uuid not null,
  period_starts_at timestamp(3) with time zone not null,
  completed bigint not null default 0,
  failed bigint not null default 0,
  timed_out bigint not null default 0,
  canceled bigint not null default 0,
  dispatches bigint not null default 0,
  compute_ms bigint not null default 0,
  compute_microusd bigint not null default 0,
  reported_microusd bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  updated_at timestamp(3) with time zone not null,
  constraint usage_periods_pkey PRIMARY KEY (project_id, period_starts_at)
);
comment on table usage_periods is 'What a project used in a calendar month (UTC); written by flow from the changelog. Counters only grow.';
comment on column usage_periods.completed is 'Runs that ended so, as in failed, timed_out and canceled.';

create table webhook_attempts (
  project_id uuid not null,
  id uuid not null,
  delivery_id uuid not null,
  attempt integer not null,
  status_code integer,
  error text,
  duration_ms integer,
  started_at timestamp(3) with time zone not null,
  finished_at timestamp(3) with time zone,
  url text not null default ''::text,
  outcome text,
  request_headers jsonb,
  response_headers jsonb,
  response_body text,
  constraint webhook_attempts_pkey PRIMARY KEY (project_id, id),
  constraint webhook_attempts_project_id_delivery_id_fkey FOREIGN KEY (project_id, delivery_id) REFERENCES webhook_deliveries(project_id, id) ON DELETE CASCADE,
  constraint webhook_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['delivered'::text, 'refused'::text, 'retryable'::text, 'aborted'::text, 'lost'::text])))
);
CREATE INDEX webhook_attempts_delivery_idx ON public.webhook_attempts USING btree (project_id, delivery_id, started_at);
CREATE INDEX webhook_attempts_started_at_idx ON public.webhook_attempts USING btree (project_id, started_at);
comment on table webhook_attempts is 'An attempt to send a webhook; inserted with the claim, so that attempts of a crashed instance are visible too, and updated by the sender.';
comment on column webhook_attempts.id is 'The token of its claim.';
comment on column webhook_attempts.request_headers is 'Names and values as they were sent; of headers that the subscription adds, only the names.';
comment on column webhook_attempts.response_body is 'Its beginning.';

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
  environment_id uuid,
  host text not null default ''::text,
  claim_token uuid,
  subscription_id uuid,
  event_id uuid,
  claimed_by uuid,
  channel_id uuid,
  constraint webhook_deliveries_pkey PRIMARY KEY (project_id, id),
  constraint webhook_deliveries_check CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_claimed CHECK (((claim_token IS NULL) OR (status = 'pending'::text))),
  constraint webhook_deliveries_transitions CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>pending'::text, 'pending>pending'::text, 'pending>delivered'::text, 'pending>failed'::text, 'failed>pending'::text])))
);
CREATE INDEX webhook_deliveries_claimed_idx ON public.webhook_deliveries USING btree (host, project_id, next_attempt_at) WHERE (claim_token IS NOT NULL);
CREATE INDEX webhook_deliveries_created_at_idx ON public.webhook_deliveries USING btree (project_id, created_at, id);
CREATE INDEX webhook_deliveries_lane_idx ON public.webhook_deliveries USING btree (project_id, host, next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_status_idx ON public.webhook_deliveries USING btree (project_id, status, created_at, id);
CREATE INDEX webhook_deliveries_subscription_idx ON public.webhook_deliveries USING btree (project_id, subscription_id, created_at, id) WHERE (subscription_id IS NOT NULL);
comment on table webhook_deliveries is 'A webhook to send to one receiver; inserted in the transaction that publishes the event, updated by the sender.';
comment on column webhook_deliveries.body is 'The exact text that is signed and sent.';
comment on column webhook_deliveries.environment_id is 'Where the event happened; null: in no environment. A key bound to an environment sees those of its own.';
comment on column webhook_deliveries.host is 'Of the URL, with the port unless it is the usual one: at most ten deliveries are sent to one host at a time.';
comment on column webhook_deliveries.claim_token is 'Of the claim that is sending it. Nothing else may until next_attempt_at; after that the claim is lost.';
comment on column webhook_deliveries.subscription_id is 'Null: the wait itself named the receiver.';
comment on column webhook_deliveries.event_id is 'The same for all receivers of one event. Null: the id of the delivery.';
comment on column webhook_deliveries.channel_id is 'The alert channel it is sent to, with the URL and the key that the channel has then. Null: to `url`.';

create table webhook_subscriptions (
  project_id uuid not null,
  id uuid not null,
  environment_id uuid,
  url text not null,
  description text,
  events text[] not null,
  filter text,
  headers bytea,
  enabled boolean not null,
  filter_errors bigint not null default 0,
  last_filter_error text,
  last_filter_error_at timestamp(3) with time zone,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint webhook_subscriptions_pkey PRIMARY KEY (project_id, id),
  constraint webhook_subscriptions_project_id_environment_id_fkey FOREIGN KEY (project_id, environment_id) REFERENCES environments(project_id, id),
  constraint webhook_subscriptions_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id)
);
CREATE INDEX webhook_subscriptions_enabled_idx ON public.webhook_subscriptions USING btree (project_id) WHERE enabled;
comment on table webhook_subscriptions is 'A receiver of events of a project; written by the API of webhook subscriptions.';
comment on column webhook_subscriptions.environment_id is 'Null: events of every environment, and of none.';
comment on column webhook_subscriptions.events is 'Types, `run.*` for all of a kind, `*` for all.';
comment on column webhook_subscriptions.filter is 'A CEL expression over the event. Null: all events.';
comment on column webhook_subscriptions.headers is 'Encrypted. Null: none.';
comment on column webhook_subscriptions.filter_errors is 'Events to which the filter could not be applied: they were not delivered. Counted by the publisher.';

create table workers (
  project_id uuid not null,
  worker_id text not null,
  id uuid not null,
  name text,
  version text,
  labels jsonb not null default '{}'::jsonb,
  concurrency integer,
  queues text[],
  jobs text[],
  api_key_id uuid,
  created_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  constraint workers_pkey PRIMARY KEY (project_id, worker_id)
);
CREATE INDEX workers_last_seen_idx ON public.workers USING btree (last_seen_at);
comment on table workers is 'A process that claims runs; written when it claims or sends heartbeats, removed when it was not seen for a minute.';

create table workflow_decisions (
  project_id uuid not null,
  workflow_run_id uuid not null,
  ordinal integer not null,
  step_ref text,
  decision_type text not null,
  reason text not null,
  detail jsonb,
  created_at timestamp(3) with time zone not null,
  decided_by text,
  decided_by_id text,
  constraint workflow_decisions_pkey PRIMARY KEY (project_id, workflow_run_id, ordinal, created_at)
);
CREATE INDEX workflow_decisions_created_at_idx ON ONLY public.workflow_decisions USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
comment on table workflow_decisions is 'A decision about a workflow run with its reason; inserted by flow as it is made.';
comment on column workflow_decisions.decided_by is 'Who asked for it; null: the service itself.';

create table workflow_decisions_rest (
  project_id uuid not null,
  workflow_run_id uuid not null,
  ordinal integer not null,
  step_ref text,
  decision_type text not null,
  reason text not null,
  detail jsonb,
  created_at timestamp(3) with time zone not null,
  decided_by text,
  decided_by_id text,
  constraint workflow_decisions_rest_pkey PRIMARY KEY (project_id, workflow_run_id, ordinal, created_at)
);
CREATE INDEX workflow_decisions_rest_created_at_idx ON public.workflow_decisions_rest USING brin (created_at) WITH (pages_per_range='32', autosummarize='on');
comment on table workflow_decisions_rest is 'Decisions of days without a partition; PostgreSQL puts them here.';

create table workflow_policies (
  project_id uuid not null,
  max_fan_out integer,
  max_depth integer,
  max_steps integer,
  forbidden_step_types text[] not null default '{}'::text[],
  require_approval_for_deploy boolean not null default false,
  updated_by text not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint workflow_policies_pkey PRIMARY KEY (project_id),
  constraint workflow_policies_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint workflow_policies_max_depth_check CHECK ((max_depth >= 1)),
  constraint workflow_policies_max_fan_out_check CHECK ((max_fan_out >= 1)),
  constraint workflow_policies_max_steps_check CHECK ((max_steps >= 1))
);
comment on table workflow_policies is 'What a project requires of its workflows; written by the API of workflow policies. No row: nothing.';

create table workflow_runs (
  project_id uuid not null,
  id uuid not null,
  workflow_id uuid not null,
  version_id uuid not null,
  version integer not null,
  environment_id uuid not null,
  status text not null,
  prev_status text,
  transition_count integer not null default 1,
  phase text,
  payload jsonb not null,
  tags jsonb not null default '{}'::jsonb,
  metadata jsonb not null default '{}'::jsonb,
  routing_key text,
  idempotency_key text,
  error jsonb,
  error_count integer not null default 0,
  trigger_type text not null,
  created_by text not null,
  created_by_id text,
  schedule_id uuid,
  batch_id uuid,
  decisions integer not null default 0,
  timeout_secs integer,
  holds_slot boolean not null default false,
  blocked_on text,
  scheduled_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone,
  deadline timestamp(3) with time zone,
  paused_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  canary_id uuid,
  parent_workflow_run_id uuid,
  parent_step_ref text,
  parent_generation integer,
  root_workflow_run_id uuid,
  depth integer not null default 0,
  planned_end jsonb,
  chain_depth integer not null default 0,
  stopped text,
  pause_inherited boolean not null default false,
  traceparent text,
  constraint workflow_runs_pkey PRIMARY KEY (project_id, id),
  constraint workflow_runs_check CHECK (((finished_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'failed'::text, 'timed_out'::text, 'canceled'::text])))),
  constraint workflow_runs_phase_check CHECK ((phase = 'compensating'::text)),
  constraint workflow_runs_planned_end CHECK (((planned_end IS NOT NULL) = (phase IS NOT NULL))),
  constraint workflow_runs_stopped_check CHECK ((stopped = 'cancel'::text)),
  constraint workflow_runs_transitions CHECK ((((COALESCE(prev_status, ''::text) || '>'::text) || status) = ANY (ARRAY['>pending'::text, '>running'::text, 'pending>running'::text, 'pending>paused'::text, 'pending>canceled'::text, 'running>paused'::text, 'running>completed'::text, 'running>failed'::text, 'running>timed_out'::text, 'running>canceled'::text, 'paused>running'::text, 'paused>pending'::text, 'paused>canceled'::text, 'completed>running'::text, 'failed>running'::text, 'timed_out>running'::text, 'canceled>running'::text]))),
  constraint workflow_runs_trigger_type_check CHECK ((trigger_type = ANY (ARRAY['cron'::text, 'api'::text, 'event'::text, 'webhook'::text, 'workflow'::text, 'replay'::text, 'spawn'::text])))
);
CREATE INDEX workflow_runs_blocked_idx ON public.workflow_runs USING btree (project_id, blocked_on, scheduled_at, id) WHERE ((status = 'pending'::text) AND (blocked_on IS NOT NULL));
CREATE INDEX workflow_runs_canary_idx ON public.workflow_runs USING btree (canary_id, version_id, finished_at) WHERE (canary_id IS NOT NULL);
CREATE INDEX workflow_runs_created_at_idx ON public.workflow_runs USING brin (created_at) WITH (autosummarize='on');
CREATE INDEX workflow_runs_deadline_idx ON public.workflow_runs USING btree (deadline) WHERE ((status = 'running'::text) AND (deadline IS NOT NULL));
CREATE INDEX workflow_runs_deadline_in_turn_idx ON public.workflow_runs USING btree (project_id, deadline) WHERE ((status = 'running'::text) AND (deadline IS NOT NULL));
CREATE INDEX workflow_runs_due_idx ON public.workflow_runs USING btree (scheduled_at) WHERE ((status = 'pending'::text) AND (blocked_on IS NULL) AND (stopped IS NULL));
CREATE INDEX workflow_runs_due_in_turn_idx ON public.workflow_runs USING btree (project_id, scheduled_at) WHERE ((status = 'pending'::text) AND (blocked_on IS NULL));
CREATE INDEX workflow_runs_finished_idx ON public.workflow_runs USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX workflow_runs_live_idx ON public.workflow_runs USING btree (project_id, workflow_id, version_id, id) WHERE (finished_at IS NULL);
CREATE INDEX workflow_runs_parent_idx ON public.workflow_runs USING btree (parent_workflow_run_id, id) WHERE (parent_workflow_run_id IS NOT NULL);
CREATE INDEX workflow_runs_schedule_idx ON public.workflow_runs USING btree (project_id, schedule_id, id) WHERE (schedule_id IS NOT NULL);
CREATE INDEX workflow_runs_version_idx ON public.workflow_runs USING btree (version_id, id);
CREATE INDEX workflow_runs_workflow_idx ON public.workflow_runs USING btree (workflow_id, id);
comment on table workflow_runs is 'One durable execution of a workflow; written by flow when it is created and whenever its status changes.';
comment on column workflow_runs.decisions is 'Numbers the rows of workflow_decisions.';
comment on column workflow_runs.holds_slot is 'Counted in the workflow''s concurrency counter, also without a limit, so that a limit that is set later counts it. A run below one of its own workflow shares the slot of that one.';
comment on column workflow_runs.blocked_on is 'workflow:<id>: it waits for a slot of max_concurrent_runs.';
comment on column workflow_runs.deadline is 'Paused time does not count.';
comment on column workflow_runs.canary_id is 'The canary that chose the version; null: none did.';
comment on column workflow_runs.parent_step_ref is 'The step that started the run, in the generation of parent_generation; null: no workflow run did.';
comment on column workflow_runs.root_workflow_run_id is 'The run at the top: the routing key of every workflow run below it.';
comment on column workflow_runs.planned_end is 'How the run ends after its compensations. Not null: it is compensating.';
comment on column workflow_runs.chain_depth is 'How many emitted events led to this run.';
comment on column workflow_runs.stopped is 'A run above it was canceled or has failed, and its own end follows.';
comment on column workflow_runs.pause_inherited is 'Paused because a run above it is, with which it resumes.';
comment on column workflow_runs.traceparent is 'The trace context of its caller or of the step above it. Null: its trace begins with it.';

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
  created_at timestamp(3) with time zone not null,
  author text,
  approved_by text,
  approved_at timestamp(3) with time zone,
  constraint workflow_versions_pkey PRIMARY KEY (project_id, id),
  constraint workflow_versions_project_id_workflow_id_version_key UNIQUE (project_id, workflow_id, version)
);
CREATE INDEX workflow_versions_created_at_idx ON public.workflow_versions USING btree (project_id, workflow_id, created_at, id);
comment on table workflow_versions is 'A definition of a workflow; inserted by the API of workflows. What it runs never changes, and a run stays on its version.';
comment on column workflow_versions.author is 'The kind and id of the creator, which names do not share.';
comment on column workflow_versions.approved_by is 'Who besides its author made the version current; null: nobody.';

create table workflows (
  project_id uuid not null,
  id uuid not null,
  slug text not null,
  name text not null,
  description text,
  tags jsonb not null default '{}'::jsonb,
  enabled boolean not null default true,
  environment_id uuid,
  version_id uuid not null,
  current_version integer not null,
  version integer not null,
  max_concurrent_runs integer,
  cron text,
  timezone text not null default 'UTC'::text,
  cron_overlap_policy text not null default 'allow'::text,
  on_failure_job_id uuid,
  cancel_on jsonb not null default '[]'::jsonb,
  revision integer not null default 1,
  created_by text not null,
  created_by_id text,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  constraint workflows_pkey PRIMARY KEY (project_id, id),
  constraint workflows_project_id_environment_id_fkey FOREIGN KEY (project_id, environment_id) REFERENCES environments(project_id, id),
  constraint workflows_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint workflows_cron_overlap_policy_check CHECK ((cron_overlap_policy = ANY (ARRAY['allow'::text, 'skip'::text, 'cancel_running'::text])))
);
CREATE INDEX workflows_created_at_idx ON public.workflows USING btree (project_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX workflows_deleted_at_idx ON public.workflows USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX workflows_environment_idx ON public.workflows USING btree (environment_id, project_id);
CREATE UNIQUE INDEX workflows_slug_idx ON public.workflows USING btree (project_id, slug) WHERE (deleted_at IS NULL);
comment on table workflows is 'A workflow with its live settings; written by the API of workflows.';
comment on column workflows.version_id is 'The version that new runs get; current_version is its number.';
comment on column workflows.version is 'The newest version, current or not.';
comment on column workflows.revision is 'Rises with every change that affects how runs start.';

create view run_history as
 SELECT run_transitions.project_id,
    run_transitions.run_id,
    run_transitions.ordinal,
    run_transitions.from_status,
    run_transitions.to_status,
    run_transitions.cause,
    run_transitions.attempt,
    run_transitions.detail,
    run_transitions.created_at
   FROM run_transitions
UNION ALL
 SELECT runs.project_id,
    runs.id AS run_id,
    1 AS ordinal,
    NULL::text AS from_status,
    'pending'::text AS to_status,
    'created'::text AS cause,
    0 AS attempt,
    NULL::jsonb AS detail,
    runs.created_at
   FROM runs
  WHERE (runs.derived_transitions >= 1)
UNION ALL
 SELECT runs.project_id,
    runs.id AS run_id,
    2 AS ordinal,
    'pending'::text AS from_status,
    'running'::text AS to_status,
    'claimed'::text AS cause,
    1 AS attempt,
    NULL::jsonb AS detail,
    runs.started_at AS created_at
   FROM runs
  WHERE (runs.derived_transitions >= 2)
UNION ALL
 SELECT runs.project_id,
    runs.id AS run_id,
    3 AS ordinal,
    'running'::text AS from_status,
    'completed'::text AS to_status,
    'completed'::text AS cause,
    1 AS attempt,
    jsonb_build_object('http_status', runs.end_http_status, 'duration_ms', runs.end_duration_ms, 'error', NULL::unknown) AS detail,
    runs.finished_at AS created_at
   FROM runs
  WHERE (runs.derived_transitions >= 3);
comment on view run_history is 'All transitions of runs, derived and stored; all code reads them here.';
