-- Sums over time, made by followers of the logs. They outlive what they were made of: retention never subtracts.
-- Cost grows with the number of buckets: minutes are kept for days, hours for a year, days for good.
create table rollups (
  project_id uuid not null,
  -- What is counted: runs, workflows, errors, events, webhooks.
  series text not null,
  -- By what it is split: all, job, job_version, trigger, … What it is split by stands in `subject_id` and `part`.
  split text not null,
  -- Seconds of a bucket; 0: all that ever was.
  grain integer not null,
  bucket_at timestamptz(3) not null,
  -- A job, a workflow or a subscription; the nil id: all of them.
  subject_id uuid not null,
  -- The nil id: in none.
  environment_id uuid not null,
  part text not null,
  -- In the order that `series.ts` says.
  counts bigint[] not null,
  -- Durations as a histogram of logarithmic bins (`sketch.ts`): merged, they are as exact as one.
  sketch bytea,
  primary key (project_id, series, split, grain, bucket_at, subject_id, environment_id, part)
) with (fillfactor = 70);

-- What failures have in common. The message is one without numbers, names and ids, so that it tells of no run.
create table error_groups (
  project_id uuid not null,
  job_id uuid not null,
  environment_id uuid not null,
  fingerprint uuid not null,
  step_ref text,
  http_status integer,
  code text,
  message text not null,
  -- The newest few.
  run_ids uuid[] not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (project_id, job_id, environment_id, fingerprint)
);
create index error_groups_last_seen_idx on error_groups (last_seen_at);

-- Rows come in order of time: those of the last minutes are found by a few pages, at no cost to the writer.
create index event_triggers_created_at_idx on event_triggers using brin (created_at) with (autosummarize = on);
