create table invariants (
  name text primary key,
  violations integer not null,
  violated_since timestamptz(3),
  checked_at timestamptz(3) not null
);
comment on table invariants is 'The last check of an invariant of the service; written by the background task that checks them.';
comment on column invariants.violations is 'Rows that violate it, at most 1,000; for one that is checked page by page, those of the last page.';

create table repairs (
  kind text primary key,
  count bigint not null,
  repaired_at timestamptz(3) not null
);
comment on table repairs is 'How often reconciliation has repaired something, by kind; written with each repair.';
