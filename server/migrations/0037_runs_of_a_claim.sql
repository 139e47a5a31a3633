-- Each poll of a worker asks for the runs that its claim already has. Under an index of the worker alone it walked the
-- entries of all runs that the worker had held since the last vacuum: 10 ms after a few thousand.
create index run_queue_claimed_idx on run_queue (project_id, worker_id, claim_id) where worker_id is not null;
drop index run_queue_worker_idx;
