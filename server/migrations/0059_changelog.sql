-- The changelog: what changed, in an order that consumers can follow. Writers add rows to the inbox, in the statement
-- of the change; the sequencer moves what has committed into the log and numbers it. A row holds the changes of one
-- statement in one project, without payloads or other tenant text. Positions do not depend on transaction ids, so they
-- survive a dump and restore, and no open transaction of the cluster delays consumers. `is_alike`: all changes of the row
-- are of runs with the same job version, environment and kind of trigger. Ends that are alike also have the same creator,
-- nothing else by which costs are grouped, and the durations of their only dispatch.
create table changelog_inbox (
  id bigint generated always as identity primary key,
  project_id uuid not null,
  kind text not null,
  ids uuid[] not null,
  ordinals int[],
  from_statuses text[],
  to_statuses text[],
  causes text[],
  attempts int[],
  row_ids uuid[],
  is_alike boolean not null default false,
  wall_ms bigint[],
  waited_ms bigint[],
  created_at timestamptz(3) not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_threshold = 1000000);

create table changelog (
  position bigint primary key,
  project_id uuid not null,
  kind text not null,
  ids uuid[] not null,
  ordinals int[],
  from_statuses text[],
  to_statuses text[],
  causes text[],
  attempts int[],
  row_ids uuid[],
  is_alike boolean not null default false,
  wall_ms bigint[],
  waited_ms bigint[],
  created_at timestamptz(3) not null
);
create index changelog_lines_idx on changelog (project_id, position) where kind = 'run_log';

-- One row, which the sequencer locks: positions become visible in their order. The inbox is scanned above `scan_after`,
-- so that rows that vacuum cannot remove yet do not slow it down: the last id of the mark before the last, which is
-- more than a minute ago.
create table changelog_head (
  is_head boolean primary key default true check (is_head),
  position bigint not null,
  scan_after bigint not null,
  last_id bigint not null,
  marked_id bigint not null,
  marked_at timestamptz(3) not null
);

-- One consumer reads what two did. Webhooks that are published twice have the same id, so the older cursor is safe.
insert into log_cursors (consumer, after_xid, floor_at, updated_at)
select 'publish-webhooks', min(after_xid), min(floor_at), max(updated_at) from log_cursors
where consumer in ('expand-webhooks/runs', 'expand-webhooks/workflow-runs') having count(*) = 2;
update log_cursors set consumer = 'roll-up-costs' where consumer = 'roll-up-costs/dispatches';

-- Everything that some consumer has not read yet, in the order of transactions, one change per row. Usage comes last,
-- without what was booked already: only the costs read it, whose cursor follows from the dispatches.
create temporary table unread on commit drop as
with floor as (
  select least((select min(after_xid) from log_cursors where consumer not like 'recount-%'), (select min(after_xid) from log_drains where enabled))::xid8 as xid
),
logged as (
  select t.xid, t.created_at, t.project_id, 'run' as kind, t.run_id as id, t.ordinal, t.from_status, t.to_status, t.cause,
    t.attempt, null::uuid as row_id
  from run_transitions t, floor where t.xid > floor.xid
  union all
  select d.xid, d.created_at, d.project_id, 'workflow_run', d.workflow_run_id, d.ordinal, null, null, null, null, null
  from workflow_decisions d, floor where d.xid > floor.xid
  union all
  select u.xid, u.created_at, u.project_id, 'run_usage', u.run_id, null, null, null, null, null, u.id
  from run_usage u, floor
  where u.xid > floor.xid
    and u.xid > coalesce((select after_xid from log_cursors where consumer = 'roll-up-costs/usage'), '0')
  union all
  select l.xid, l.created_at, l.project_id, 'run_log', l.run_id, null, null, null, null, null, l.id
  from run_logs l, floor where l.xid > floor.xid
)
select row_number() over (order by kind = 'run_usage', xid, created_at, id, ordinal, row_id) as position, logged.* from logged;

insert into changelog (
  position, project_id, kind, ids, ordinals, from_statuses, to_statuses, causes, attempts, row_ids, created_at)
select position, project_id, kind, array[id], array[ordinal], array[from_status], array[to_status], array[cause],
  array[attempt], array[row_id], created_at
from unread;
insert into changelog_head (position, scan_after, last_id, marked_id, marked_at)
select coalesce(max(position), 0), 0, 0, 0, clock_timestamp() from unread;

alter table log_cursors add column position bigint not null default 0;
update log_cursors c set position = (select count(*) from unread u where u.kind <> 'run_usage' and u.xid <= c.after_xid);
delete from log_cursors where consumer like 'expand-webhooks/%' or consumer = 'roll-up-costs/usage';
alter table log_cursors alter column position drop default, drop column after_xid;
alter table log_cursors rename column floor_at to counted_to;
alter table log_cursors alter column counted_to drop not null;
update log_cursors set counted_to = null where consumer not like 'recount-%';

-- One consumer keeps all sums. It goes on where usage was booked, which nothing else corrects: the reconcilers correct
-- rollups and costs that were elsewhere, and the search index gets what it has not read.
insert into log_cursors (consumer, position, updated_at)
select 'sum-changes', position, updated_at from log_cursors where consumer = 'settle-costs';
insert into unfiled_runs (project_id, run_id, ended_status, living_status)
select u.project_id, u.id, u.to_status, u.to_status from unread u
where u.kind = 'run' and u.to_status in ('completed', 'failed', 'timed_out', 'canceled')
  and u.position > (select position from log_cursors where consumer = 'index-runs')
  and u.position <= (select position from log_cursors where consumer = 'sum-changes')
on conflict (project_id, run_id) do update
set ended_status = excluded.ended_status, living_status = excluded.living_status, terms = null;
delete from log_cursors
where consumer in ('settle-costs', 'roll-up-runs', 'roll-up-workflows', 'roll-up-costs', 'index-runs');

alter table log_drains add column position bigint not null default 0;
update log_drains d set position = (
  select count(*) from unread u
  where u.kind <> 'run_usage'
    and (u.xid < d.after_xid or u.xid = d.after_xid and (u.kind <> 'run_log' or u.row_id <= d.after_id)));
alter table log_drains alter column position drop default, drop column after_xid, drop column floor_at;

alter table run_transitions drop column xid;
alter table workflow_decisions drop column xid;
alter table run_usage drop column xid;
alter table run_logs drop column xid;
alter table webhook_deliveries drop column xid;
alter table batch_operations drop column xid;
