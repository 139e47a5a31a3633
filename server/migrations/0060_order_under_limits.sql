-- A run that limits refuse again and again, each while another has room, may keep its places in some (kept) while it waits for the
-- next; granted_by then names the first of them. refusals and refused_at: how often limits have refused it since it was queued, and
-- when first. released_at: when it was last unblocked, by a limit or otherwise.
alter table run_queue add column kept text[], add column refusals integer not null default 0,
  add column refused_at timestamp(3) with time zone, add column released_at timestamp with time zone;
alter table run_queue add constraint run_queue_kept_check check (kept is null or granted_by is not null);
-- Every started workflow run holds a slot, also without a limit, so that a limit that is set later counts it. One below a run of its
-- own workflow shares that run's slot.
update workflow_runs w set holds_slot = true
where w.started_at is not null and w.finished_at is null and not w.holds_slot and not exists (
  with recursive above as (
    select p.workflow_id, p.parent_workflow_run_id from workflow_runs p
    where p.project_id = w.project_id and p.id = w.parent_workflow_run_id
    union all
    select p.workflow_id, p.parent_workflow_run_id from above a
    join workflow_runs p on p.project_id = w.project_id and p.id = a.parent_workflow_run_id
  )
  select 1 from above a where a.workflow_id = w.workflow_id);
