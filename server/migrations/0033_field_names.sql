-- contract: no released version uses the old names.
alter table runs rename column moves to transition_count;
alter table runs rename column derived_moves to derived_transitions;
alter table workflow_runs rename column moves to transition_count;

alter table runs rename constraint runs_moves to runs_transitions;
alter table workflow_runs rename constraint workflow_runs_moves to workflow_runs_transitions;
alter table step_runs rename constraint step_runs_moves to step_runs_transitions;
alter table map_items rename constraint map_items_moves to map_items_transitions;
alter table event_triggers rename constraint event_triggers_moves to event_triggers_transitions;
alter table canaries rename constraint canaries_moves to canaries_transitions;
alter table batch_operations rename constraint batch_operations_moves to batch_operations_transitions;
alter table webhook_deliveries rename constraint webhook_deliveries_moves to webhook_deliveries_transitions;

comment on table runs is 'One durable execution of a job; written by flow when it is created and whenever its status changes.';
comment on table workflow_runs is 'One durable execution of a workflow; written by flow when it is created and whenever its status changes.';
comment on column runs.transition_count is 'The number of status changes: the ordinal of the newest transition.';
comment on column runs.derived_transitions is 'The number of first transitions without rows in run_transitions: run_history derives them from the run.';

alter table run_blocks rename column marks to bloom_filters;

alter table canaries rename column judged_at to evaluated_at;
alter index canaries_judged_at_idx rename to canaries_evaluated_at_idx;
