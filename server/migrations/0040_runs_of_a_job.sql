-- The runs of a job by time instead of by id. Runs that are created together have one time, so their entries share a key,
-- which PostgreSQL stores once: a half to a fifth of the size. Both grow at the newest run of each job, in the middle of the index,
-- where pages are split in halves and stay half full.
create index runs_of_job_idx on runs (job_id, created_at);
drop index runs_job_idx;
