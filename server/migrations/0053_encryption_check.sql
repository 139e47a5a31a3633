-- What the service was first started with: a start whose ENCRYPTION_KEY does not open it is refused. No secret, only a random key that
-- is used for nothing else.
create table encryption_check (
  is_only boolean primary key default true check (is_only),
  wrapped_key bytea not null,
  updated_at timestamptz(3) not null
);
