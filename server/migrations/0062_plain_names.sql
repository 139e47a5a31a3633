-- The position of a queued run among the runs of its job with other concurrency keys, with which it is interleaved.
alter table run_queue rename column line_at to interleave_at;
alter index run_queue_line_idx rename to run_queue_interleave_idx;
alter index run_queue_key_line_idx rename to run_queue_key_interleave_idx;

-- Runs that the search index lists one by one, because they do not fill a block yet.
alter table unfiled_runs rename to unindexed_runs;
alter table unindexed_runs rename constraint unfiled_runs_pkey to unindexed_runs_pkey;
alter index unfiled_runs_ended_idx rename to unindexed_runs_ended_idx;
alter index unfiled_runs_living_idx rename to unindexed_runs_living_idx;
alter index unfiled_runs_untold_idx rename to unindexed_runs_undescribed_idx;
alter table run_blocks rename column filed_at to indexed_at;
alter index run_blocks_filed_at_idx rename to run_blocks_indexed_at_idx;

-- When the process of an instance was started, as the system reports it: it distinguishes processes with the same pid.
alter table instances rename column birth_mark to process_start;

update outbox set kind = 'publish_event_trigger' where kind = 'tell_event_trigger';
