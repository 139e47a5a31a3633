-- The one clock. Every deadline is computed and compared with it. Stable and inlined, so that index conditions
-- may use it at no cost. Tests replace the body to set and step the time.
create function clock() returns timestamptz
language sql stable parallel safe
as 'select statement_timestamp()';

-- Times have milliseconds, as on the wire, so that a cursor made of a shown time finds its row again.
create table instances (
  id uuid primary key,
  roles text[] not null,
  version text not null,
  address text not null,
  started_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  name text,
  machine text,
  pid integer,
  process_start text,
  holds_data_dir boolean not null default false,
  gone_at timestamptz(3)
);
comment on table instances is 'A running process of the service; each instance writes its own row, and others note when it is gone.';
comment on column instances.machine is 'The boot of the machine and the namespace of process ids, in which pid and process_start name one process.';
comment on column instances.process_start is 'When the process was started, as the system reports it: it distinguishes processes with the same pid.';
comment on column instances.gone_at is 'When another instance found that the process is gone; its leases are then released before they run out.';

create table leaders (
  name text primary key,
  holder uuid not null,
  epoch bigint not null,
  lease_until timestamptz(3) not null,
  next_due_at timestamptz(3) not null
);
comment on table leaders is 'The leader lease of a background task that runs on one instance at a time; written by the instance that takes or renews it.';
comment on column leaders.epoch is 'Rises when the lease changes hands.';

-- Unlogged: after a crash of the database the counts of the minute are lost, and no request pays for an fsync.
create unlogged table ip_counters (
  limit_name text not null,
  client text not null,
  admitted integer[] not null,
  last_second bigint not null,
  primary key (limit_name, client)
);
create index ip_counters_last_second_idx on ip_counters (last_second);
comment on table ip_counters is 'The requests of one client under one rate limit; written by the API as it admits them.';
comment on column ip_counters.admitted is 'How many requests were admitted in each of the last 61 seconds.';

create table encryption_check (
  is_only boolean primary key default true check (is_only),
  wrapped_key bytea not null,
  updated_at timestamptz(3) not null
);
comment on table encryption_check is 'The only row shows whether ENCRYPTION_KEY is the right one; written at the first start and when the key is rotated.';
comment on column encryption_check.wrapped_key is 'A random key that is used for nothing else. A start whose ENCRYPTION_KEY does not decrypt it is refused.';
