create table outbox (
  project_id uuid not null,
  transition_id text not null,
  kind text not null,
  target_id text not null,
  detail jsonb,
  created_at timestamptz(3) not null,
  claimed_by uuid,
  claimed_until timestamptz(3),
  primary key (project_id, transition_id, kind, target_id)
);
-- Each kind of each project takes its turn: the index finds them, and the oldest entries of each.
create index outbox_lane_idx on outbox (project_id, kind, created_at);
comment on table outbox is 'Work to do after a commit; inserted by the transaction that causes it, deleted by the instance that has done it.';
comment on column outbox.transition_id is '<run id>:<ordinal> of the transition. Part of the key, so that the transition causes the work once.';
comment on column outbox.claimed_by is 'The instance that is doing it, until claimed_until.';

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
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  finished_at timestamptz(3),
  environment_id uuid,
  access jsonb,
  plan jsonb,
  walk jsonb,
  failures integer not null default 0,
  lease_until timestamptz(3),
  lease_token uuid,
  leased_by uuid,
  primary key (project_id, id),
  check (processed = succeeded + failed + skipped),
  check (processed <= total),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'canceled'))),
  check ((lease_until is null) = (lease_token is null)),
  check (lease_until is null or finished_at is null),
  constraint batch_operations_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', '>running', 'pending>running', 'running>running', 'running>completed', 'running>failed',
     'pending>canceled', 'running>canceled')
  )
);
create index batch_operations_created_at_idx on batch_operations (project_id, created_at, id);
create index batch_operations_open_idx on batch_operations (created_at) where finished_at is null;
comment on table batch_operations is 'A bulk operation and its progress; inserted by the API, updated by the instance that holds its lease.';
comment on column batch_operations.environment_id is 'The environment to which its caller is bound; it acts on nothing else. Null: on the whole project.';
comment on column batch_operations.access is 'What policies and the limits of a token left of that when it was requested. Null: all of it.';
comment on column batch_operations.plan is 'What it iterates over: the filter, with ids instead of names and times instead of intervals.';
comment on column batch_operations.walk is 'How far it has come.';
comment on column batch_operations.failures is 'Consecutive passes that ended with an error.';

-- A hundred items of a bulk trigger are written in one statement. No foreign key: checking it was half of the cost.
create table batch_items (
  project_id uuid not null,
  batch_id uuid not null,
  item_index integer not null,
  target_id text,
  status text not null check (status in ('succeeded', 'failed', 'skipped')),
  detail jsonb,
  error text,
  error_code text,
  created_at timestamptz(3) not null,
  primary key (project_id, batch_id, item_index)
);
-- The few that did not succeed, among perhaps a million that did.
create index batch_items_status_idx on batch_items (project_id, batch_id, status, item_index)
  where status <> 'succeeded';
comment on table batch_items is 'The result of one item of a bulk operation; inserted in the transaction that processes the item, so that a resumed operation does not process it twice.';

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
  chain_no bigint,
  hash bytea,
  primary key (project_id, id),
  constraint audit_events_sealed_check check ((chain_no is null) = (hash is null))
);
create index audit_events_created_at_idx on audit_events (project_id, created_at, id);
create index audit_events_resource_idx on audit_events (project_id, resource_type, resource_id, created_at, id);
create unique index audit_events_chain_idx on audit_events (project_id, chain_no) where chain_no is not null;
create index audit_events_unsealed_idx on audit_events (created_at, id) where chain_no is null;
comment on table audit_events is 'Who changed what; inserted unsealed in the transaction of the change, and sealed by a background task.';
comment on column audit_events.chain_no is 'The number in the chain of the project. Null: not sealed yet.';
comment on column audit_events.hash is 'Over the event and all events before it in the chain.';

create table audit_heads (
  project_id uuid primary key references projects (id),
  count bigint not null,
  hash bytea not null,
  signature bytea not null,
  start_no bigint not null,
  start_hash bytea not null,
  start_signature bytea not null,
  sealed_at timestamptz(3) not null
);
comment on table audit_heads is 'The signed end of a project''s audit chain, which reveals that events were cut off; written by the tasks that seal and remove audit events.';
comment on column audit_heads.start_no is 'The beginning of the chain, which retention moves on; signed too.';
