-- A batch that is done in the background is worked on by whoever holds its lease; `walk` says how far it has come.
alter table batch_operations
  -- The environment its caller is bound to; it acts on nothing else. Null: on all of the project.
  add column environment_id uuid,
  -- What policies and the limits of a token left of that, when it was ordered. Null: all of it.
  add column access jsonb,
  -- What is walked over: the filter with ids in place of names and instants in place of spans.
  add column plan jsonb,
  add column walk jsonb,
  -- Turns in a row that ended with an error.
  add column failures integer not null default 0,
  add column lease_until timestamptz(3),
  add column lease_token uuid,
  add check ((lease_until is null) = (lease_token is null)),
  add check (lease_until is null or finished_at is null);

alter table batch_items add column error_code text;
-- The few that did not succeed, among perhaps a million that did.
create index batch_items_status_idx on batch_items (project_id, batch_id, status, item_index)
  where status <> 'succeeded';

-- The newest run that a replay made of it: `replay_of` the other way round.
alter table runs add column replayed_by uuid;
