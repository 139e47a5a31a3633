const install = `begin;
select pg_advisory_xact_lock(hashtext('millrace.install'));
create schema if not exists millrace;
create table if not exists millrace.enqueued (
  seq bigint generated always as identity primary key,
  id uuid not null unique default gen_random_uuid(),
  job text not null,
  payload jsonb not null,
  options jsonb not null,
  enqueued_at timestamptz not null default now(),
  refused_at timestamptz,
  error_code text,
  error text
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index if not exists enqueued_waiting_idx on millrace.enqueued (seq) where refused_at is null;
create index if not exists enqueued_refused_idx on millrace.enqueued (seq) where refused_at is not null;
comment on table millrace.enqueued is 'Jobs to be run by Millrace: inserted by millrace.enqueue, deleted when the run is committed there. A refused row stays with its error.';
create or replace function millrace.enqueue(job text, payload jsonb default '{}', options jsonb default '{}')
returns uuid language plpgsql as $$
#variable_conflict use_variable
declare
  unknown text;
  row_id uuid;
begin
  if job is null or job = '' then raise exception 'millrace.enqueue: job must be the slug or id of a job'; end if;
  if jsonb_typeof(coalesce(options, '{}')) <> 'object' then raise exception 'millrace.enqueue: options must be a JSON object'; end if;
  select string_agg(k, ', ') into unknown from jsonb_object_keys(coalesce(options, '{}')) k
  where k not in ('metadata', 'tags', 'priority', 'concurrency_key', 'scheduled_at', 'delay_secs', 'timeout_secs', 'max_attempts', 'environment_id');
  if unknown is not null then raise exception 'millrace.enqueue: unknown options: %', unknown; end if;
  insert into millrace.enqueued (job, payload, options)
  values (job, coalesce(payload, '{}'), coalesce(options, '{}')) returning id into row_id;
  -- Sent with the commit, and once per transaction.
  perform pg_notify('millrace_enqueued', '');
  return row_id;
end $$;
commit;
`;

const uninstall = `begin;
do $$ begin
  if to_regclass('millrace.enqueued') is null then return; end if;
  lock table millrace.enqueued in access exclusive mode;
  if exists (select 1 from millrace.enqueued) then
    raise exception 'millrace.enqueued still has rows' using errcode = 'object_in_use';
  end if;
end $$;
drop schema if exists millrace cascade;
commit;
`;

const forcedUninstall = "drop schema if exists millrace cascade";

/**
 * Prepares an application's database for `millrace.enqueue`. It may be repeated: an older version of the function is
 * replaced, and rows stay. Another role than the owner needs
 * `usage` on the schema, `insert` and `select` on the table, and `execute` on the function.
 *
 * @example
 * await connection.query(INSTALL_SQL);
 */
export const INSTALL_SQL: string = install;

/**
 * Removes what `INSTALL_SQL` created. Fails while rows are left.
 *
 * @example
 * await connection.query(UNINSTALL_SQL);
 */
export const UNINSTALL_SQL: string = uninstall;

/**
 * Removes what `INSTALL_SQL` created. Rows that are left are lost.
 *
 * @example
 * await connection.query(FORCED_UNINSTALL_SQL);
 */
export const FORCED_UNINSTALL_SQL: string = forcedUninstall;
