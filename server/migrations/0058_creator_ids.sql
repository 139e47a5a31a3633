-- The id of whoever created it, beside the name: two API keys may share a name. Null: the service itself, the internal secret, or
-- a row from before.
alter table api_keys add column created_by_id text;
alter table access_policies add column created_by_id text;
alter table event_sources add column created_by_id text;
alter table event_subscriptions add column created_by_id text;
alter table jobs add column created_by_id text;
alter table job_versions add column created_by_id text;
alter table log_drains add column created_by_id text;
alter table members add column created_by_id text;
alter table roles add column created_by_id text;
alter table run_capsules add column created_by_id text;
alter table saved_views add column created_by_id text;
alter table schedules add column created_by_id text;
alter table webhook_subscriptions add column created_by_id text;
alter table workflows add column created_by_id text;
alter table workflow_versions add column created_by_id text;
