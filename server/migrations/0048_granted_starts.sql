-- granted_by: the limit that had room for the run when it was released. Until the run is claimed nobody takes that place:
-- whoever needs the limit too, and comes later, waits behind it.
alter table run_queue add column granted_by text;
create index run_queue_granted_idx on run_queue (project_id, job_id, rank_at, run_id) where granted_by is not null;
