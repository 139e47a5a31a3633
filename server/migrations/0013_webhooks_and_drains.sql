create table webhook_subscriptions (
  project_id uuid not null references projects (id),
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
  last_filter_error_at timestamptz(3),
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  foreign key (project_id, environment_id) references environments (project_id, id)
);
-- Most projects have none: publishers check here whether there is a subscriber.
create index webhook_subscriptions_enabled_idx on webhook_subscriptions (project_id) where enabled;
comment on table webhook_subscriptions is 'A receiver of events of a project; written by the API of webhook subscriptions.';
comment on column webhook_subscriptions.environment_id is 'Null: events of every environment, and of none.';
comment on column webhook_subscriptions.events is 'Types, `run.*` for all of a kind, `*` for all.';
comment on column webhook_subscriptions.filter is 'A CEL expression over the event. Null: all events.';
comment on column webhook_subscriptions.headers is 'Encrypted. Null: none.';
comment on column webhook_subscriptions.filter_errors is 'Events to which the filter could not be applied: they were not delivered. Counted by the publisher.';

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
  next_attempt_at timestamptz(3),
  last_status_code integer,
  last_error text,
  delivered_at timestamptz(3),
  failed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  environment_id uuid,
  host text not null default '',
  claim_token uuid,
  subscription_id uuid,
  event_id uuid,
  claimed_by uuid,
  primary key (project_id, id),
  check ((status = 'pending') = (next_attempt_at is not null)),
  constraint webhook_deliveries_claimed check (claim_token is null or status = 'pending'),
  constraint webhook_deliveries_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', 'pending>pending', 'pending>delivered', 'pending>failed', 'failed>pending')
  )
);
create index webhook_deliveries_created_at_idx on webhook_deliveries (project_id, created_at, id);
create index webhook_deliveries_status_idx on webhook_deliveries (project_id, status, created_at, id);
create index webhook_deliveries_subscription_idx on webhook_deliveries (project_id, subscription_id, created_at, id)
  where subscription_id is not null;
-- Found by lane, so that ten thousand for a dead receiver are one entry to skip.
create index webhook_deliveries_lane_idx on webhook_deliveries (project_id, host, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_claimed_idx on webhook_deliveries (host, project_id, next_attempt_at)
  where claim_token is not null;
comment on table webhook_deliveries is 'A webhook to send to one receiver; inserted in the transaction that publishes the event, updated by the sender.';
comment on column webhook_deliveries.body is 'The exact text that is signed and sent.';
comment on column webhook_deliveries.environment_id is 'Where the event happened; null: in no environment. A key bound to an environment sees those of its own.';
comment on column webhook_deliveries.host is 'Of the URL, with the port unless it is the usual one: at most ten deliveries are sent to one host at a time.';
comment on column webhook_deliveries.claim_token is 'Of the claim that is sending it. Nothing else may until next_attempt_at; after that the claim is lost.';
comment on column webhook_deliveries.subscription_id is 'Null: the wait itself named the receiver.';
comment on column webhook_deliveries.event_id is 'The same for all receivers of one event. Null: the id of the delivery.';

create table webhook_attempts (
  project_id uuid not null,
  id uuid not null,
  delivery_id uuid not null,
  attempt integer not null,
  status_code integer,
  error text,
  duration_ms integer,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3),
  url text not null default '',
  outcome text check (outcome in ('delivered', 'refused', 'to_be_retried', 'given_back', 'lost')),
  request_headers jsonb,
  response_headers jsonb,
  response_body text,
  primary key (project_id, id),
  foreign key (project_id, delivery_id) references webhook_deliveries (project_id, id) on delete cascade
);
create index webhook_attempts_delivery_idx on webhook_attempts (project_id, delivery_id, started_at);
-- How receivers did in a period.
create index webhook_attempts_started_at_idx on webhook_attempts (project_id, started_at);
comment on table webhook_attempts is 'An attempt to send a webhook; inserted with the claim, so that attempts of a crashed instance are visible too, and updated by the sender.';
comment on column webhook_attempts.id is 'The token of its claim.';
comment on column webhook_attempts.request_headers is 'Names and values as they were sent; of headers that the subscription adds, only the names.';
comment on column webhook_attempts.response_body is 'Its beginning.';

create table log_drains (
  project_id uuid not null references projects (id),
  id uuid not null,
  environment_id uuid,
  name text not null,
  url text not null,
  format text not null check (format in ('json', 'ndjson', 'otlp', 'loki')),
  auth_type text not null check (auth_type in ('none', 'bearer', 'basic', 'header')),
  auth_name text,
  credentials bytea,
  min_level text not null check (min_level in ('debug', 'info', 'warn', 'error')),
  job_ids uuid[],
  enabled boolean not null,
  position bigint not null,
  after_id uuid not null,
  next_attempt_at timestamptz(3) not null,
  claim_token uuid,
  claimed_by uuid,
  consecutive_failures integer not null default 0,
  last_status_code integer,
  last_error text,
  last_delivered_at timestamptz(3),
  delivered_count bigint not null default 0,
  dropped_count bigint not null default 0,
  refused_count bigint not null default 0,
  dropped_unreported bigint not null default 0,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  foreign key (project_id, environment_id) references environments (project_id, id)
);
create index log_drains_due_idx on log_drains (next_attempt_at) where enabled;
comment on table log_drains is 'A receiver of a project''s log lines with its cursor; written by the API of log drains and by the sender. While the receiver is down, lines stay in run_logs.';
comment on column log_drains.auth_name is 'The user of `basic`, the name of the header: what may be shown.';
comment on column log_drains.position is 'Everything before this position of the changelog was sent or skipped, and at it the lines up to after_id.';
comment on column log_drains.dropped_unreported is 'How many of the dropped lines have not been reported to the receiver yet.';
