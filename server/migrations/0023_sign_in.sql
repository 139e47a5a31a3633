-- Instances of the previous version treat a session of a kind they do not know as ended.
alter table sessions drop constraint sessions_kind_check;
alter table sessions add constraint sessions_kind_check check (kind in ('internal_secret', 'api_key', 'member')) not valid;
alter table sessions add column subject text;
alter table sessions add column name text;
alter table sessions add column email text;
alter table sessions add column provider text;
alter table sessions add column refresh_token bytea;
alter table sessions add column check_due_at timestamptz(3);
alter table sessions add column checked_at timestamptz(3);
alter table sessions add column ip text;
alter table sessions add column user_agent text;
create index sessions_subject_idx on sessions (subject) where subject is not null;
comment on column sessions.subject is 'Of a person: the subject of their memberships.';
comment on column sessions.provider is 'The identity provider in the settings that the person signed in with. Null: a local account.';
comment on column sessions.refresh_token is 'Encrypted with a key derived from the session''s token, which the service does not store.';
comment on column sessions.check_due_at is 'When the provider is asked again whether the person still has access. Null: never.';
comment on column sessions.checked_at is 'When the provider last confirmed it: a session that was not confirmed for an hour ends.';

create table sign_in_attempts (
  state_hash bytea primary key,
  browser_hash bytea not null,
  provider text not null,
  return_to text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index sign_in_attempts_expires_at_idx on sign_in_attempts (expires_at);
comment on table sign_in_attempts is 'A browser that was sent to an identity provider and has not come back; written at sign-in.';
comment on column sign_in_attempts.browser_hash is 'Of the secret in the browser''s cookie, from which nonce and code verifier are derived.';

alter table members add column by_rule boolean not null default false;
alter table members add column last_seen_at timestamptz(3);
comment on column members.by_rule is 'A rule of SIGN_IN_RULES assigned the role: the membership follows the rules. False: people assigned it, and rules leave it alone.';
comment on column members.last_seen_at is 'Written at most once a minute by requests of the person in the project.';

create table accounts (
  id uuid primary key,
  email text not null unique,
  name text not null,
  salt bytea not null,
  password_hash bytea not null,
  totp_secret bytea,
  totp_step bigint,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
comment on table accounts is 'A person who signs in with a password; written when an invitation is accepted and by the person. Their subject is local:<id>.';
comment on column accounts.password_hash is 'The first half of an scrypt key; the other half, which is not stored, encrypts totp_secret.';
comment on column accounts.totp_step is 'The time step of the last code that was accepted: each works once.';

create table invitations (
  project_id uuid not null references projects (id),
  id uuid not null,
  email text not null,
  role_id uuid not null,
  token_hash bytea not null,
  created_by text not null,
  created_by_id text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (project_id, id)
);
create index invitations_created_at_idx on invitations (project_id, created_at, id);
create index invitations_expires_at_idx on invitations (expires_at);
comment on table invitations is 'A link with which a person creates a local account and joins a project; written by the API of members, removed when it is used.';
