alter table api_keys add column subject text;
alter table api_keys add column provider text;
alter table api_keys add column email text;
create index api_keys_subject_idx on api_keys (subject) where subject is not null;
create index api_keys_email_idx on api_keys (provider, lower(email)) where email is not null;
comment on column api_keys.subject is 'Of a personal key: the person whom it acts for, with no more than their role. Null: the key belongs to the project.';
comment on column api_keys.provider is 'Of a personal key: the identity provider of the session that created it. Null: another kind of sign-in.';
comment on column api_keys.email is 'Of a personal key: the verified address in that session, by which a provider that deactivates the person may name them.';
