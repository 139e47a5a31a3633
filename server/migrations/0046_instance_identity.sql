-- By which process an instance is, so that the next one can tell that it is gone, and what it held is not left until its leases run out.
alter table instances
  add column name text,
  -- The boot of the machine and the namespace of process ids, in which `pid` and `birth_mark` name one process.
  add column machine text,
  add column pid integer,
  add column birth_mark text,
  add column holds_data_dir boolean not null default false,
  add column gone_at timestamptz(3);
alter table webhook_deliveries add column claimed_by uuid;
alter table log_drains add column claimed_by uuid;
alter table batch_operations add column leased_by uuid;
