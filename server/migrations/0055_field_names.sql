-- Common terms: blocked_on is why a queued run cannot be claimed; the outbox holds work to do after a commit.
alter table run_queue rename column parked_on to blocked_on;
alter index run_queue_parked_idx rename to run_queue_blocked_idx;
alter table workflow_runs rename column parked_on to blocked_on;
alter index workflow_runs_parked_idx rename to workflow_runs_blocked_idx;
alter table effects rename to outbox;
alter index effects_lane_idx rename to outbox_lane_idx;
