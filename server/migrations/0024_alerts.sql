create table alert_channels (
  project_id uuid not null references projects (id),
  id uuid not null,
  name text not null,
  kind text not null check (kind in ('webhook', 'slack', 'discord', 'teams', 'pagerduty', 'opsgenie', 'email')),
  target text not null,
  settings bytea not null,
  enabled boolean not null,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id)
);
create index alert_channels_created_at_idx on alert_channels (project_id, created_at, id);
comment on table alert_channels is 'Where alerts of a project are sent; written by the API of alert channels.';
comment on column alert_channels.target is 'What may be shown of the receiver: its host, or the e-mail address.';
comment on column alert_channels.settings is 'Encrypted: the URL, and the key if its kind has one.';

create table alert_rules (
  project_id uuid not null references projects (id),
  id uuid not null,
  name text not null,
  kind text not null check (kind in ('failure_rate', 'no_success', 'oldest_queued', 'queue_depth', 'dead_letters',
    'budget', 'endpoint_down', 'schedule_missed', 'slo_burn_rate', 'new_errors')),
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
  silenced_until timestamptz(3),
  state text not null default 'ok' check (state in ('ok', 'pending', 'firing')),
  state_since timestamptz(3) not null,
  healthy_since timestamptz(3),
  value double precision,
  alert_id uuid,
  notified_at timestamptz(3),
  revision integer not null default 1,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  check ((state = 'firing') = (alert_id is not null)),
  check (num_nonnulls(job_id, workflow_id, queue, tag) <= 1)
) with (fillfactor = 80);
create index alert_rules_created_at_idx on alert_rules (project_id, created_at, id);
comment on table alert_rules is 'A condition over a project, and whether it holds; written by the API of alert rules and by their evaluation, which writes only changes of state.';
comment on column alert_rules.tag is '`key` or `key:value` of jobs.';
comment on column alert_rules.healthy_since is 'While it fires: since when the condition no longer holds.';
comment on column alert_rules.value is 'When the state last changed.';
comment on column alert_rules.notified_at is 'When the channels were last notified about the alert that fires. Null: they were not, because the rule is silenced.';
comment on column alert_rules.revision is 'Every decision names the revision it was made from, so that of two instances one decides.';

create table alert_evaluations (
  project_id uuid primary key references projects (id),
  next_at timestamptz(3) not null
) with (fillfactor = 50);
create index alert_evaluations_next_at_idx on alert_evaluations (next_at);
comment on table alert_evaluations is 'When the rules of a project are evaluated next; inserted with its first rule, updated by the evaluation.';

create table alerts (
  project_id uuid not null references projects (id),
  id uuid not null,
  rule_id uuid not null,
  rule_name text not null,
  kind text not null,
  environment_id uuid,
  status text not null check (status in ('firing', 'resolved')),
  summary text not null,
  detail jsonb not null,
  value double precision,
  threshold double precision not null,
  notifications integer not null default 0,
  fired_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolved_because text check (resolved_because in ('recovered', 'rule_disabled', 'rule_deleted')),
  created_at timestamptz(3) not null,
  primary key (project_id, id),
  check ((status = 'resolved') = (resolved_at is not null))
);
create index alerts_created_at_idx on alerts (project_id, created_at, id);
create index alerts_rule_idx on alerts (project_id, rule_id, created_at, id);
create index alerts_firing_idx on alerts (project_id, created_at, id) where status = 'firing';
create index alerts_resolved_idx on alerts (resolved_at) where resolved_at is not null;
comment on table alerts is 'One time that a rule fired, until it was resolved; written by the evaluation of alert rules.';
comment on column alerts.notifications is 'How often its channels were notified.';

alter table webhook_deliveries add column channel_id uuid;
comment on column webhook_deliveries.channel_id is 'The alert channel it is sent to, with the URL and the key that the channel has then. Null: to `url`.';

alter table error_groups
  add column id uuid not null default gen_random_uuid(),
  add column status text not null default 'open' check (status in ('open', 'resolved', 'ignored')),
  add column assigned_to text,
  add column opened_at timestamptz(3),
  add column resolved_at timestamptz(3),
  add column reopened_count integer not null default 0,
  add column updated_at timestamptz(3);
create unique index error_groups_id_idx on error_groups (project_id, id);
create index error_groups_status_idx on error_groups (project_id, status, last_seen_at, id);
create index error_groups_opened_idx on error_groups (project_id, opened_at) where status = 'open';
comment on table error_groups is 'Failures with the same fingerprint, as an issue; written by the consumer that counts errors and by the API of error issues.';
comment on column error_groups.opened_at is 'When it was first seen, or reopened by a failure after it was resolved. Null: seen before issues existed.';
comment on column error_groups.resolved_at is 'A later failure reopens it.';
