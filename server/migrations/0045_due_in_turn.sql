-- While more is due than one page, each project that has some is served in turn: these find the projects, and what is due in each.
create index event_triggers_due_in_turn_idx on event_triggers (project_id, expires_at) where status = 'waiting';
create index run_queue_due_in_turn_idx on run_queue (project_id, run_at) where parked_on = 'not_due';
create index run_queue_expires_in_turn_idx on run_queue (project_id, expires_at)
  where expires_at is not null and lease_until is null;
create index workflow_runs_due_in_turn_idx on workflow_runs (project_id, scheduled_at)
  where status = 'pending' and parked_on is null;
create index workflow_runs_deadline_in_turn_idx on workflow_runs (project_id, deadline)
  where status = 'running' and deadline is not null;
create index schedules_due_in_turn_idx on schedules (project_id, next_fire_at)
  where paused_at is null and next_fire_at is not null;
create index rate_windows_next_in_turn_idx on rate_windows (project_id, next_at) where next_at is not null;
