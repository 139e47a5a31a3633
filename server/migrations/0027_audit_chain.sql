-- Audit events are written unsealed, with the change they tell of. A duty then gives each its number in the chain of
-- its project and the hash over it and all before it.
alter table audit_events add column chain_no bigint;
alter table audit_events add column hash bytea;
alter table audit_events add constraint audit_events_sealed_check check ((chain_no is null) = (hash is null));
create unique index audit_events_chain_idx on audit_events (project_id, chain_no) where chain_no is not null;
create index audit_events_unsealed_idx on audit_events (created_at, id) where chain_no is null;
create index audit_events_resource_idx on audit_events (project_id, resource_type, resource_id, created_at, id);

-- The end of each chain, signed: a tail that was cut off is missed. And its beginning, which retention moves on.
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
