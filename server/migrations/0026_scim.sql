create table scim_users (
  provider text not null,
  id uuid not null,
  user_name text not null,
  external_id text,
  subject text,
  emails text[] not null,
  active boolean not null,
  attributes jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (provider, id)
);
create unique index scim_users_user_name_idx on scim_users (provider, lower(user_name));
create index scim_users_external_id_idx on scim_users (provider, external_id) where external_id is not null;
create index scim_users_subject_idx on scim_users (provider, subject) where subject is not null;
create index scim_users_emails_idx on scim_users using gin (emails);
comment on table scim_users is 'A person as an identity provider provisions them (SCIM); written by its requests.';
comment on column scim_users.subject is 'The subject of the person if the provider uses `externalId` as `sub`.';
comment on column scim_users.emails is 'Their addresses in lower case, the user name among them: finds the person who signs in.';
comment on column scim_users.attributes is 'Names and addresses as they were sent, to be returned.';

create table scim_groups (
  provider text not null,
  id uuid not null,
  display_name text not null,
  external_id text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (provider, id)
);
create unique index scim_groups_display_name_idx on scim_groups (provider, lower(display_name));
comment on table scim_groups is 'A group as an identity provider provisions it (SCIM); sign-in rules name it by display_name.';

create table scim_group_members (
  provider text not null,
  group_id uuid not null,
  user_id uuid not null,
  primary key (provider, group_id, user_id),
  foreign key (provider, group_id) references scim_groups (provider, id) on delete cascade,
  foreign key (provider, user_id) references scim_users (provider, id) on delete cascade
);
create index scim_group_members_user_idx on scim_group_members (provider, user_id);
comment on table scim_group_members is 'Who is in a provisioned group; written by SCIM requests.';
