create table project_configs (
  project_id uuid not null references projects (id),
  revision integer not null,
  objects jsonb not null,
  applying_by text,
  applying_until timestamptz(3),
  updated_by text not null,
  updated_at timestamptz(3) not null,
  primary key (project_id),
  check ((applying_by is null) = (applying_until is null))
);
comment on table project_configs is 'Which objects of a project are managed as code, and who is applying a configuration; written by the API of project configs.';
comment on column project_configs.revision is 'Raised by every change. A writer names the one it has read.';
