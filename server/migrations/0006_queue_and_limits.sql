-- Narrow, so that a million rows besides the due ones cost nothing.
create table run_queue (
  project_id uuid not null,
  run_id uuid not null,
  job_id uuid not null,
  host text not null,
  rank_at timestamptz not null,
  interleave_at timestamptz,
  run_at timestamptz(3) not null,
  concurrency_key text,
  blocked_on text,
  debounce_key text,
  expires_at timestamptz(3),
  timeout_secs integer not null,
  lease_until timestamptz(3),
  lease_token uuid,
  instance_id uuid,
  accepted_at timestamptz(3),
  deadline timestamptz(3),
  heartbeat_timeout_secs integer,
  slots text[],
  workflow_run_id uuid,
  stopped text check (stopped in ('cancel', 'pause', 'batch')),
  granted_by text,
  kept text[],
  refusals integer not null default 0,
  refused_at timestamptz(3),
  released_at timestamptz,
  limits text[],
  primary key (project_id, run_id),
  check ((lease_until is null) = (lease_token is null)),
  check (lease_until is null or blocked_on is null),
  constraint run_queue_kept_check check (kept is null or granted_by is not null)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index run_queue_claim_idx on run_queue (project_id, host, rank_at, run_id)
  where lease_until is null and blocked_on is null and stopped is null;
create index run_queue_blocked_idx on run_queue (project_id, blocked_on, rank_at, run_id)
  where blocked_on is not null and blocked_on <> 'not_due';
create index run_queue_granted_idx on run_queue (project_id, job_id, rank_at, run_id) where granted_by is not null;
create index run_queue_lease_idx on run_queue (lease_until) where lease_until is not null;
create index run_queue_interleave_idx on run_queue (project_id, job_id, interleave_at)
  where interleave_at is not null and lease_until is null;
create index run_queue_key_interleave_idx on run_queue (project_id, job_id, concurrency_key, interleave_at)
  where interleave_at is not null and lease_until is null;
create unique index run_queue_debounce_idx on run_queue (project_id, debounce_key) where debounce_key is not null;
create index run_queue_workflow_run_idx on run_queue (project_id, workflow_run_id) where workflow_run_id is not null;
create index run_queue_stopped_idx on run_queue (project_id, stopped, run_id) where stopped in ('cancel', 'batch');
create index run_queue_due_idx on run_queue (run_at) where blocked_on = 'not_due';
create index run_queue_expires_idx on run_queue (expires_at)
  where expires_at is not null and lease_until is null and stopped is null;
-- While more is due than one page, projects take turns: these indexes, here and in other tables, find the projects that
-- have something due, and what is due in each.
create index run_queue_due_in_turn_idx on run_queue (project_id, run_at) where blocked_on = 'not_due';
create index run_queue_expires_in_turn_idx on run_queue (project_id, expires_at)
  where expires_at is not null and lease_until is null and stopped is null;
comment on table run_queue is 'A run that is queued, or runs under a lease; written by flow, and deleted when the run ends, waits or pauses.';
comment on column run_queue.host is 'host:port of the endpoint; project and host are the lane of the run.';
comment on column run_queue.rank_at is 'The position in the queue: when the run became due, a minute earlier for each point of priority.';
comment on column run_queue.interleave_at is 'The position among the runs of its job with other concurrency keys, with which it is interleaved, before priority. Null: no concurrency key.';
comment on column run_queue.blocked_on is 'Why the run cannot be claimed; null when it can.';
comment on column run_queue.debounce_key is 'Triggers that share it become one run, until that is claimed.';
comment on column run_queue.expires_at is 'The run is canceled if it was not started by then.';
comment on column run_queue.instance_id is 'The instance that renews the lease. Null while the run itself does (accepted with 202).';
comment on column run_queue.slots is 'Keys of the concurrency counters that the run holds.';
comment on column run_queue.workflow_run_id is 'The workflow run whose cancel or pause stops the run; null for compensations.';
comment on column run_queue.stopped is 'A cancel or pause of the workflow run stops the run in its own commit: the row is not claimed, whatever else releases it. `batch`: a bulk cancel has the run on its list.';
comment on column run_queue.granted_by is 'The limit that had room for the run when it was released. Until the run is claimed, later runs that need the limit wait behind it.';
comment on column run_queue.kept is 'Limits in which the run keeps its place while it waits for the next, after repeated refusals; granted_by is the first of them.';
comment on column run_queue.refusals is 'How often limits have refused the run since it was queued; refused_at is when first.';
comment on column run_queue.released_at is 'When the run was last unblocked, by a limit or otherwise.';
comment on column run_queue.limits is 'The limits of a blocked run that depend on its payload (named rate limits). A later run that needs all of them too does not start before it.';

create table concurrency_counters (
  project_id uuid not null,
  key text not null,
  active integer not null default 0 check (active >= 0),
  primary key (project_id, key)
) with (fillfactor = 50);
comment on table concurrency_counters is 'How many runs hold a slot of a concurrency limit; written by flow when runs are claimed and released.';
comment on column concurrency_counters.key is 'job:<job>, key:<job>:<key> or workflow:<workflow>.';

create table rate_windows (
  project_id uuid not null,
  key text not null,
  job_id uuid not null,
  window_secs integer not null,
  starts integer[] not null,
  last_slot bigint not null,
  next_at timestamptz(3),
  updated_at timestamptz(3) not null,
  primary key (project_id, key)
) with (fillfactor = 50);
create index rate_windows_next_idx on rate_windows (next_at) where next_at is not null;
create index rate_windows_next_in_turn_idx on rate_windows (project_id, next_at) where next_at is not null;
comment on table rate_windows is 'The starts in the last window of a rate limit; written by flow when runs are claimed.';
comment on column rate_windows.key is 'rate:<job>:<name>:<key>.';
comment on column rate_windows.starts is 'The window in 61 slots.';
comment on column rate_windows.next_at is 'While runs are blocked on the limit: when the next may start.';

create table circuits (
  project_id uuid not null,
  host text not null,
  status text not null check (status in ('open', 'closed')),
  good_probes integer not null default 0,
  probe_at timestamptz(3),
  opened_at timestamptz(3),
  reason text,
  updated_at timestamptz(3) not null,
  primary key (project_id, host)
);
create index circuits_probe_idx on circuits (probe_at) where status = 'open';
comment on table circuits is 'The circuit breaker of a host that failed; written by flow from the results of dispatches. While it is open, runs are blocked and single ones probe the host.';
