-- The id of whoever did it, beside the name: two API keys may share a name. As in audit_events: of a key its id, of a member the
-- subject. Null: the service itself, the internal secret, or a row from before.
alter table runs add column created_by_id text;
alter table workflow_runs add column created_by_id text;
alter table batch_operations add column created_by_id text;
alter table event_triggers add column sent_by_id text;
alter table buffered_events add column sent_by_id text;
alter table source_events add column received_by_id text;
alter table workflow_decisions add column decided_by text, add column decided_by_id text;
