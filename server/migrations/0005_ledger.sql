-- What a change leaves behind, written in the transaction of the change.

create table audit_events (
  project_id uuid not null references projects (id),
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
  created_at timestamptz(3) not null,
  primary key (project_id, id)
);
create index audit_events_created_at_idx on audit_events (project_id, created_at, id);

-- What a transition causes beyond itself. Done and deleted by whoever comes first; unique, so that it is caused once.
create table effects (
  project_id uuid not null,
  transition_id uuid not null,
  kind text not null,
  target_id text not null,
  detail jsonb,
  created_at timestamptz(3) not null,
  primary key (project_id, transition_id, kind, target_id)
);
create index effects_created_at_idx on effects (created_at);

create table webhook_deliveries (
  project_id uuid not null,
  id uuid not null,
  url text not null,
  event_type text not null,
  -- The exact text that is signed and sent; json keeps it as it was written.
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
  primary key (project_id, id),
  check ((status = 'pending') = (next_attempt_at is not null)),
  constraint webhook_deliveries_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', 'pending>pending', 'pending>delivered', 'pending>failed', 'failed>pending')
  )
);
create index webhook_deliveries_created_at_idx on webhook_deliveries (project_id, created_at, id);
create index webhook_deliveries_status_idx on webhook_deliveries (project_id, status, created_at, id);
create index webhook_deliveries_due_idx on webhook_deliveries (next_attempt_at) where status = 'pending';

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
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  finished_at timestamptz(3),
  primary key (project_id, id),
  check (processed = succeeded + failed + skipped),
  check (processed <= total),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'canceled'))),
  constraint batch_operations_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', '>running', 'pending>running', 'running>running', 'running>completed', 'running>failed',
     'pending>canceled', 'running>canceled')
  )
);
create index batch_operations_created_at_idx on batch_operations (project_id, created_at, id);
create index batch_operations_open_idx on batch_operations (created_at) where finished_at is null;

-- One row per item acted on: its presence says "done", which is what keeps a resumed batch from acting twice.
create table batch_items (
  project_id uuid not null,
  batch_id uuid not null,
  item_index integer not null,
  target_id text,
  status text not null check (status in ('succeeded', 'failed', 'skipped')),
  detail jsonb,
  error text,
  created_at timestamptz(3) not null,
  primary key (project_id, batch_id, item_index),
  foreign key (project_id, batch_id) references batch_operations (project_id, id) on delete cascade
);
