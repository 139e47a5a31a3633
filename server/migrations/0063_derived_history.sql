-- Most runs are created, claimed once and completed. These transitions are derived from the run itself: its first
-- derived_moves ones have no rows in run_transitions. 0: all are stored, as those of older runs.
-- end_http_status and end_duration_ms hold the rest of what the end of a run is derived from.
alter table runs add column derived_moves smallint not null default 0, add column end_http_status smallint,
  add column end_duration_ms integer;

-- Finds derived transitions by time, as run_transitions_created_at_idx does stored ones. Partial, so that no other query
-- uses it: it would read most of the table for runs that have not finished. Several intervals per range: pages whose runs were
-- removed are filled again, and then have two periods far apart.
create index runs_derived_idx on runs using brin (created_at timestamptz_minmax_multi_ops, finished_at timestamptz_minmax_multi_ops) with (pages_per_range = 32, autosummarize = on)
where derived_moves > 0;

-- The transitions of runs, derived and stored; all code reads them here. No index finds claims by time: readers of a period exclude
-- to_status 'running'.
create view run_history as
select project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at
from run_transitions
union all
select project_id, id, 1, null::text, 'pending'::text, 'created'::text, 0, null::jsonb, created_at
from runs where derived_moves >= 1
union all
select project_id, id, 2, 'pending'::text, 'running'::text, 'claimed'::text, 1, null::jsonb, started_at
from runs where derived_moves >= 2
union all
select project_id, id, 3, 'running'::text, 'completed'::text, 'completed'::text, 1,
  jsonb_build_object('http_status', end_http_status, 'duration_ms', end_duration_ms, 'error', null), finished_at
from runs where derived_moves >= 3;

-- Since when the runs of a project are complete: derived transitions are removed with their run, stored ones later,
-- with their partition. A recount of an earlier time would miss the removed runs.
create table removed_runs (
  project_id uuid primary key,
  ended_before timestamptz(3) not null
);
