-- Outbox entries are served per project and kind in turn, and claimed: an instance does not do what another is doing. The walk
-- over the lanes and the oldest entries of each are read from one index; nothing reads them over all projects any more.
alter table effects add column claimed_by uuid, add column claimed_until timestamptz(3);
create index effects_lane_idx on effects (project_id, kind, created_at);
drop index effects_created_at_idx;
