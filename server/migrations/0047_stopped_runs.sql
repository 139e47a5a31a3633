-- A cancel or a pause of a workflow run stops what is below it in its own commit: marked rows are not claimed, whatever
-- else releases them; `batch` is a bulk cancel that has the run on its list. workflow_run_id: the workflow run whose cancel or pause stops the run; null for compensations.
alter table run_queue
  add column workflow_run_id uuid,
  add column stopped text check (stopped in ('cancel', 'pause', 'batch'));

drop index run_queue_claim_idx;
create index run_queue_claim_idx on run_queue (project_id, host, rank_at, run_id)
  where lease_until is null and parked_on is null and stopped is null;
drop index run_queue_expires_idx;
create index run_queue_expires_idx on run_queue (expires_at)
  where expires_at is not null and lease_until is null and stopped is null;
drop index run_queue_expires_in_turn_idx;
create index run_queue_expires_in_turn_idx on run_queue (project_id, expires_at)
  where expires_at is not null and lease_until is null and stopped is null;
create index run_queue_workflow_run_idx on run_queue (project_id, workflow_run_id) where workflow_run_id is not null;
create index run_queue_stopped_idx on run_queue (project_id, stopped, run_id) where stopped in ('cancel', 'batch');

-- stopped: a run above it was canceled or has failed, and its own end follows. pause_inherited: it is paused because one
-- above it is, and resumes with that one.
alter table workflow_runs
  add column stopped text check (stopped = 'cancel'),
  add column pause_inherited boolean not null default false;

drop index workflow_runs_due_idx;
create index workflow_runs_due_idx on workflow_runs (scheduled_at)
  where status = 'pending' and parked_on is null and stopped is null;

update run_queue q set workflow_run_id = r.workflow_run_id
from runs r
where r.project_id = q.project_id and r.id = q.run_id and r.workflow_run_id is not null
  and r.step_ref not like '%:compensate';
