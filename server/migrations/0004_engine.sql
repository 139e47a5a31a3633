-- Who does the duties that only one instance may do at a time, and when each is next due.
create table leaders (
  name text primary key,
  holder uuid not null,
  epoch bigint not null,
  lease_until timestamptz(3) not null,
  next_due_at timestamptz(3) not null
);

create table instances (
  id uuid primary key,
  roles text[] not null,
  version text not null,
  address text not null,
  started_at timestamptz(3) not null,
  seen_at timestamptz(3) not null
);
