-- Logs are followed in the order of their transactions: a reader stays below the oldest transaction that is still
-- writing, so that what commits late is never skipped. Without a default at first, since a default that is not
-- constant would rewrite the table; what was logged before has no place in the order and is not followed.
alter table run_logs add column xid xid8;
alter table run_logs alter column xid set default pg_current_xact_id();

-- Every row enters at the right-most page; equal values of one transaction are stored once.
create index run_transitions_xid_idx on run_transitions (xid);
create index workflow_decisions_xid_idx on workflow_decisions (xid);
create index run_logs_order_idx on run_logs (project_id, xid, id);
create index run_logs_xid_idx on run_logs (xid);

-- How far each follower of the whole service has read. A follower that belongs to a project keeps its own place.
create table log_cursors (
  follower text primary key,
  after_xid xid8 not null,
  floor_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
