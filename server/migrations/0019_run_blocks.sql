-- What makes old runs findable by what they hold. A duty follows the transitions and files runs that have ended, 128 of a
-- project and status together, with a hash of everything they could be asked for. A search reads the blocks that hold all
-- asked hashes and then the runs themselves, which alone decide. Nothing here is written where runs are made or moved.
create table run_blocks (
  project_id uuid not null,
  id uuid not null,
  status text not null check (status in ('completed', 'failed', 'timed_out', 'canceled')),
  newest_id uuid not null,
  oldest_id uuid not null,
  run_ids uuid[] not null,
  -- Null: its runs hold too much to be listed. They are always looked at.
  terms integer[],
  filed_at timestamptz(3) not null,
  primary key (project_id, id)
) with (toast_tuple_target = 128);
-- Random numbers do not compress.
alter table run_blocks alter column run_ids set storage external, alter column terms set storage external;
create index run_blocks_newest_idx on run_blocks (project_id, status, newest_id, oldest_id);
create index run_blocks_oldest_idx on run_blocks (project_id, status, oldest_id, newest_id);
create index run_blocks_terms_idx on run_blocks using gin (terms);
create index run_blocks_whole_idx on run_blocks (project_id, status, newest_id) where terms is null;
create index run_blocks_filed_at_idx on run_blocks (filed_at);

-- Runs that the duty has seen and not filed: those that live, and the last few that ended.
create table unfiled_runs (
  project_id uuid not null,
  run_id uuid not null,
  ended_status text,
  primary key (project_id, run_id)
);
create index unfiled_runs_ended_idx on unfiled_runs (project_id, ended_status, run_id) where ended_status is not null;
