-- Deliveries and batch operations are told to streams in the order of their transactions, as the logs are: whoever
-- changes a row notes its own, so who comes back is told of each row that changed since, as it is now, and of none too
-- few. Without a default at first, since one that is not constant would rewrite the table; what was there before has no
-- place in the order until it changes.
alter table webhook_deliveries add column xid xid8;
alter table webhook_deliveries alter column xid set default pg_current_xact_id();
create index webhook_deliveries_xid_idx on webhook_deliveries (xid) where xid is not null;

alter table batch_operations add column xid xid8;
alter table batch_operations alter column xid set default pg_current_xact_id();
create index batch_operations_xid_idx on batch_operations (xid) where xid is not null;

-- What a run holds of a budget stands in budget_reservations. Only the catalogue changes: no row is written.
alter table runs drop column reserved_microusd;
