-- A run's turn among the keys of its job and its place in the queue are two things: with one column for both, the keys of
-- a job that always have a newcomer held up older runs of other jobs.
alter table run_queue add column turn_at timestamptz;
update run_queue set turn_at = rank_at where interleave_at is not null;
create index run_queue_turn_idx on run_queue (project_id, job_id, host, turn_at, run_id)
  where turn_at is not null and lease_until is null and blocked_on is null and stopped is null;
create index run_queue_blocked_turn_idx on run_queue (project_id, blocked_on, job_id, turn_at, run_id)
  where turn_at is not null and blocked_on is not null and blocked_on <> 'not_due';
comment on column run_queue.interleave_at is 'The position among the runs of its job with other concurrency keys, before priority. Null: no concurrency key.';
comment on column run_queue.turn_at is 'The turn of a run among those of its job with other concurrency keys: interleave_at, a minute earlier for each point of priority. In this order the runs of a job take its places in the queue.';
