-- What each run of a block may hold, in order of run_ids: 256 bits each, of which three are set by each term. Null: filed before.
alter table run_blocks add column marks bytea;
alter table run_blocks alter column marks set storage external;

-- The status of a run that lives, as the filing last saw it: what moved since is looked at anyway. Listed before: not known.
alter table unfiled_runs add column living_status text not null default 'unknown';
create index unfiled_runs_living_idx on unfiled_runs (project_id, living_status, run_id) where ended_status is null;
