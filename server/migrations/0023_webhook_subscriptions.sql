-- Who is told of what happens in a project, beside those whom a wait names itself.
create table webhook_subscriptions (
  project_id uuid not null references projects (id),
  id uuid not null,
  -- Null: what happens in every environment, and in none.
  environment_id uuid,
  url text not null,
  description text,
  -- Types, `run.*` for all of a kind, `*` for all.
  events text[] not null,
  -- CEL over the event. Null: all of them.
  filter text,
  -- Sealed. Null: none.
  headers bytea,
  enabled boolean not null,
  -- Events that the filter could not be applied to: they were not delivered.
  filter_errors bigint not null default 0,
  last_filter_error text,
  last_filter_error_at timestamptz(3),
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id),
  foreign key (project_id, environment_id) references environments (project_id, id)
);
-- Most projects have none: whoever writes asks here whether somebody wants to know.
create index webhook_subscriptions_enabled_idx on webhook_subscriptions (project_id) where enabled;

alter table webhook_deliveries
  -- Null: the wait itself named the receiver.
  add column subscription_id uuid,
  -- The same for all who are told of one event. Null: the delivery's own id.
  add column event_id uuid;
create index webhook_deliveries_subscription_idx on webhook_deliveries (project_id, subscription_id, created_at, id)
  where subscription_id is not null;

alter table webhook_attempts
  add column url text not null default '',
  add column outcome text check (outcome in ('delivered', 'refused', 'to_be_retried', 'given_back', 'lost')),
  -- Header names and values as they were sent; of those that the subscription adds the names alone.
  add column request_headers jsonb,
  add column response_headers jsonb,
  -- Its beginning.
  add column response_body text;
-- How receivers did in a span of time.
create index webhook_attempts_started_at_idx on webhook_attempts (project_id, started_at);
