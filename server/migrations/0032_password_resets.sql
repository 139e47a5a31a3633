alter table accounts add column reset_hash bytea;
alter table accounts add column reset_expires_at timestamptz(3);
comment on column accounts.reset_hash is 'The SHA-256 hash of the secret in the link with which the person sets a new password. Null: there is no link.';
