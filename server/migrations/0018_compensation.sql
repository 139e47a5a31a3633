-- How a workflow run ends when its compensations are over. Not null: it is compensating.
alter table workflow_runs add column planned_end jsonb;
alter table workflow_runs add constraint workflow_runs_planned_end check ((planned_end is not null) = (phase is not null));

-- What it was started with, rendered. Kept of steps that name a compensation, which outlive the runs of their jobs.
alter table step_runs add column input jsonb;
-- Of those too: the ordinal of the decision by which it completed. Compensations go from the highest down.
alter table step_runs add column completion integer;
alter table step_runs add column compensation_status text
  check (compensation_status in ('running', 'completed', 'failed'));
-- How often one was started: the `step_generation` of its run, so that none is started twice.
alter table step_runs add column compensations integer not null default 0;
alter table step_runs add column compensation_run_id uuid;
alter table step_runs add column compensation_error jsonb;
alter table step_runs add column compensated_at timestamptz(3);
-- Compensations whose runs have ended without anybody going on.
create index step_runs_compensating_idx on step_runs (updated_at) where compensation_status = 'running';
