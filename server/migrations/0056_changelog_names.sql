-- The field's words for who reads the changelog and for log lines a drain dropped.
alter table log_cursors rename column follower to consumer;
alter table log_drains rename column dropped_untold to dropped_unreported;
