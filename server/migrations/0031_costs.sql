-- What runs have cost, summed up as it is booked. Rows grow with days, jobs and the groups of a day, not with runs, and
-- stay when runs are removed.
create table cost_rollups (
  project_id uuid not null,
  -- What the row is grouped by beside its job. Of a job: by how its dispatches ended.
  kind text not null check (
    kind in ('job', 'tag', 'concurrency_key', 'created_by', 'workflow', 'schedule', 'model')
  ),
  -- How long a time it sums up. Finer ones than a day are kept of jobs alone, and for a while.
  grain text not null check (grain in ('1m', '1h', '1d')),
  starts_at timestamptz(3) not null,
  environment_id uuid not null,
  job_id uuid not null,
  -- none: what has no such name. other: the names beyond those that a day keeps apart.
  part text not null check (part in ('named', 'none', 'other')),
  name text not null default '',
  value text not null default '',
  reported_microusd bigint not null default 0,
  compute_microusd bigint not null default 0,
  -- Of the dispatches that ended here: how long they took, the longest of them, and what they had reported.
  wall_ms bigint not null default 0,
  longest_ms bigint not null default 0,
  dispatch_reported_microusd bigint not null default 0,
  -- The part of all dispatches that lies within the time of this row, wherever they ended.
  busy_ms bigint not null default 0,
  dispatches bigint not null default 0,
  reports bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  primary key (project_id, kind, grain, starts_at, environment_id, job_id, part, name, value)
);

-- Rates of a project that no longer hold, each with the time until which it did: what was settled before keeps its price.
create table compute_rate_changes (
  project_id uuid not null,
  until timestamptz(3) not null,
  compute_rate_microusd_per_sec bigint not null,
  primary key (project_id, until)
);

-- Reports of usage are followed in the order of their transactions, as other logs are. Those from before are given
-- numbers below all that could still come (each was a transaction of its own), a thousand each.
alter table run_usage add column xid xid8;
update run_usage u set xid = n.xid
from (
  select project_id, run_id, id, (row_number() over (order by created_at, id) / 1000 + 1)::text::xid8 as xid from run_usage
) n
where u.project_id = n.project_id and u.run_id = n.run_id and u.id = n.id;
alter table run_usage alter column xid set default pg_current_xact_id();
alter table run_usage alter column xid set not null;
create index run_usage_xid_idx on run_usage (xid);
