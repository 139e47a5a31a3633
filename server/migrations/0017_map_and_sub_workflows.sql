alter table workflow_runs
  -- The step that started it, of which generation; null: no workflow run did.
  add column parent_workflow_run_id uuid,
  add column parent_step_ref text,
  add column parent_generation integer,
  -- The first of its line: the routing key of every workflow run below it.
  add column root_workflow_run_id uuid,
  add column depth integer not null default 0;
-- Does not begin with the project, as the other indexes of the table.
create index workflow_runs_parent_idx on workflow_runs (parent_workflow_run_id, id)
  where parent_workflow_run_id is not null;

-- The workflow run that a step has started.
alter table step_runs add column child_workflow_run_id uuid;

-- A map step that was started: what its items read beside themselves, and how many of them are where. Written under the
-- lock of the workflow run, as its steps are.
create table map_steps (
  project_id uuid not null,
  workflow_run_id uuid not null,
  step_ref text not null,
  -- What the payload of the items reads of the run's payload and of other steps, as it was at the start.
  scope jsonb not null,
  total integer not null,
  pending integer not null,
  running integer not null,
  failed integer not null,
  -- No item before it is pending.
  next_index integer not null default 0,
  primary key (project_id, workflow_run_id, step_ref)
) with (fillfactor = 70);

create table map_items (
  project_id uuid not null,
  workflow_run_id uuid not null,
  step_ref text not null,
  item_index integer not null,
  -- The generation of the step that it was last started in.
  generation integer not null,
  status text not null,
  prev_status text,
  item jsonb not null,
  output jsonb,
  error jsonb,
  run_id uuid,
  child_workflow_run_id uuid,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (project_id, workflow_run_id, step_ref, item_index),
  check ((finished_at is not null) = (status in ('completed', 'failed', 'canceled'))),
  constraint map_items_moves check (
    (coalesce(prev_status, '') || '>' || status) in
    ('>pending', 'pending>running', 'pending>failed', 'pending>canceled', 'running>completed', 'running>failed',
     'running>canceled', 'failed>pending', 'canceled>pending')
  )
);
-- At most max_parallel of a step are in it, however many items there are.
create index map_items_running_idx on map_items (project_id, workflow_run_id, step_ref, item_index)
  where status = 'running';
