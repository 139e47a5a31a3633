-- When a key's rotation is due and nobody was told yet; null: it has no interval, was told of, or was revoked.
alter table api_keys add column rotation_due_at timestamptz(3);
update api_keys set rotation_due_at = rotated_at + rotation_interval_days * interval '1 day'
where rotation_interval_days is not null and revoked_at is null;
create index api_keys_rotation_due_idx on api_keys (rotation_due_at) where rotation_due_at is not null;

-- Written every few seconds by whoever saw the key, never by the request itself.
alter table api_keys add column last_used_at timestamptz(3);

-- A session that nobody uses ends before its time, and every session with the secret that it was begun with.
alter table sessions add column last_used_at timestamptz(3);
alter table sessions add column secret_hash bytea;
