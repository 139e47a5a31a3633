-- Limits of the key's own: {requests_per_minute, triggers_per_minute, bulk_per_minute}. Null, or a missing one: those of the address.
alter table api_keys add column rate_limits jsonb;
