import { runSql, TEMPLATE, type TestConnection } from "./database.ts";

export const WORLD_TEMPLATE = "millrace_world_template";

/**
 * The template of databases that worlds share in sequence. In addition to the schema it has a clock that tests stop and
 * move, and a function that removes what a test file left.
 */
export async function createWorldTemplate(server: TestConnection): Promise<void> {
  await runSql(server, `drop database if exists ${WORLD_TEMPLATE}`);
  await runSql(server, `create database ${WORLD_TEMPLATE} template ${TEMPLATE} strategy file_copy`);
  const template = { ...server, database: WORLD_TEMPLATE };
  await runSql(template, CLOCK);
  await runSql(template, RESET);
  await runSql(template, KEEP_SEEDS);
}

/**
 * The time is a row: replacing the function for every step would discard all plans of the sessions. In plpgsql, since
 * SQL functions that read a table are planned again in every statement.
 */
const CLOCK = `
  create schema tests;
  create table tests.clock (stopped_at timestamptz);
  insert into tests.clock values (null);
  create or replace function public.clock() returns timestamptz language plpgsql stable parallel safe cost 1 as $$
  begin
    return coalesce((select stopped_at from tests.clock), statement_timestamp());
  end $$`;

/** Deletes instead of truncating: new files for a table would invalidate the plans of every session. */
const RESET = `
  create table tests.tables (name name primary key);
  create table tests.seeded (name name primary key);
  create function tests.reset() returns void language plpgsql as $$
  declare found record;
  begin
    set local lock_timeout = '2s';
    set local session_replication_role = replica;
    for found in
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        and not exists (select from tests.tables t where t.name = c.relname)
    loop
      execute format('drop table public.%I', found.name);
    end loop;
    for found in
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and pg_relation_size(c.oid) > 0
    loop
      execute format('delete from public.%I', found.name);
    end loop;
    for found in select name from tests.seeded loop
      execute format('insert into public.%I select * from tests.%I', found.name, found.name);
    end loop;
    update tests.clock set stopped_at = null;
  end $$`;

/** Rows written by migrations. */
const KEEP_SEEDS = `
  do $$
  declare found record;
  begin
    insert into tests.tables
      select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r';
    for found in
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and pg_relation_size(c.oid) > 0
    loop
      insert into tests.seeded values (found.name);
      execute format('create table tests.%I as table public.%I', found.name, found.name);
    end loop;
  end $$`;
