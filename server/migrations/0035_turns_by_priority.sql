-- Keys take turns within a priority: what waits with less does not put off what comes with more.

drop index run_queue_interleave_idx;
drop index run_queue_key_interleave_idx;
create index run_queue_interleave_idx on run_queue (project_id, job_id, (interleave_at - turn_at), interleave_at)
  where interleave_at is not null and lease_until is null;
create index run_queue_key_interleave_idx on run_queue (project_id, job_id, concurrency_key, (interleave_at - turn_at), interleave_at)
  where interleave_at is not null and lease_until is null;
