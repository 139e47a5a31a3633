create table outbox_sources (
  project_id uuid not null references projects (id),
  id uuid not null,
  name text not null,
  host text not null,
  port integer not null,
  database text not null,
  username text not null,
  sslmode text not null check (sslmode in ('disable', 'require', 'verify-full')),
  database_url bytea not null,
  enabled boolean not null,
  claim_token uuid,
  claimed_by uuid,
  next_attempt_at timestamptz(3) not null,
  drained_ids uuid[] not null default '{}',
  consecutive_failures integer not null default 0,
  failing_since timestamptz(3),
  last_error text,
  last_drained_at timestamptz(3),
  drained_count bigint not null default 0,
  refused_count bigint not null default 0,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, id)
);
create index outbox_sources_created_at_idx on outbox_sources (project_id, created_at, id);
create index outbox_sources_due_idx on outbox_sources (next_attempt_at) where enabled;
comment on table outbox_sources is 'A database of an application whose enqueued rows become runs; written by the API of outbox sources and by the drainer.';
comment on column outbox_sources.database_url is 'Encrypted. The columns before it are the parts that may be shown.';
comment on column outbox_sources.next_attempt_at is 'When it is claimed next; while it is claimed, the end of the claim.';
comment on column outbox_sources.drained_ids is 'The rows whose runs were committed last: they are deleted from the application''s database before more are read.';
