-- A dashboard session. It is born with a one-time code (sign-in link) or with its token; never with both.
create table sessions (
  id uuid primary key,
  kind text not null check (kind in ('internal_secret', 'api_key')),
  project_id uuid,
  key_id uuid,
  code_hash bytea unique,
  token_hash bytea unique,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  check ((kind = 'api_key') = (key_id is not null)),
  check ((project_id is null) = (key_id is null)),
  check ((code_hash is null) <> (token_hash is null))
);
create index sessions_expires_at_idx on sessions (expires_at);

-- One row per limit and client: how many requests were admitted in each of the last 61 seconds.
-- Unlogged: after a crash of the database everybody starts the minute afresh, and no request pays for an fsync.
create unlogged table ip_counters (
  limit_name text not null,
  client text not null,
  admitted integer[] not null,
  last_second bigint not null,
  primary key (limit_name, client)
);
create index ip_counters_last_second_idx on ip_counters (last_second);
