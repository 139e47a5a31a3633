alter table job_versions add column unreachable_timeout_secs integer not null default 86400;

alter table run_queue
  add column unreachable_since timestamptz(3),
  add column unreachable_until timestamptz(3);
create index run_queue_unreachable_idx on run_queue (project_id, host, unreachable_until)
  where unreachable_until is not null;
comment on column run_queue.unreachable_since is 'Since when the run has waited for an endpoint that cannot be reached. Null: it does not.';
comment on column run_queue.unreachable_until is 'When the run fails, unless the endpoint is reached before.';

alter table circuits
  add column cause text not null default 'failing' check (cause in ('failing', 'unreachable')),
  add column down_since timestamptz(3),
  add column answered_at timestamptz(3),
  add column recent_failures timestamptz(3)[] not null default '{}',
  add column origin text;
create index circuits_down_idx on circuits (project_id, host) where down_since is not null;
comment on column circuits.cause is 'Why the circuit was opened last: the host responded with errors, or no connection could be made.';
comment on column circuits.good_probes is 'Of a failing host: good probes in a row. Of an unreachable one: 0 while it is probed, then the step in which its runs are released.';
comment on column circuits.down_since is 'The first connection that could not be made since the host last responded. Null: it responds.';
comment on column circuits.answered_at is 'When a response of the host was first recorded. Null: it has never responded.';
comment on column circuits.recent_failures is 'The last five times at which no connection could be made.';
comment on column circuits.origin is 'Scheme, host and port, to which a probe connects. Null: every connection could be made so far.';
comment on table circuits is 'A host and its circuit breaker; written by flow from the results of dispatches. While it is open, runs are blocked and the host is probed.';

-- Hosts that have responded before: their runs wait as long as their jobs say.
insert into circuits (project_id, host, status, answered_at, updated_at)
select distinct v.project_id, v.host, 'closed', clock(), clock()
from job_versions v where exists (
  select 1 from runs r where r.project_id = v.project_id and r.job_id = v.job_id and r.job_version_id = v.id
    and r.end_http_status is not null)
on conflict (project_id, host) do update set answered_at = excluded.answered_at;
