alter table scim_users add column deleted_at timestamptz(3);
comment on column scim_users.deleted_at is 'Set when the provider deletes the person. The row stays, with what recognizes them, so that they cannot sign in; others do not see it.';
