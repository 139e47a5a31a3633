import { runSql, type TestConnection } from "../world/database.ts";

/** The current schema in readable form, from the catalog: the expected content of `schema.sql`. */
export async function printSchema(connection: TestConnection): Promise<string> {
  const functions = await runSql<{ text: string }>(connection, FUNCTIONS);
  const tables = await runSql<{ text: string }>(connection, TABLES);
  const views = await runSql<{ text: string }>(connection, VIEWS);
  const header =
    "-- The schema that the migrations produce, for reading. `npm run generate` prints it from the catalog.";
  const objects = [...functions, ...tables, ...views].map((row) => row.text.trim());
  return `${[header, ...objects].join("\n\n")}\n`;
}

const FUNCTIONS = `
  select pg_get_functiondef(oid) || ';' as text from pg_proc
  where pronamespace = 'public'::regnamespace order by proname`;

const TABLES = `
  select format(E'create %stable %s (\\n%s\\n);%s', case relpersistence when 'u' then 'unlogged ' else '' end, relname,
    (select string_agg(line, E',\\n' order by place, position, line) from (
      select 0 as place, lpad(attnum::text, 4) as position, format('  %s %s%s%s', attname, format_type(atttypid, atttypmod),
        case when attnotnull then ' not null' else '' end,
        coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) as line
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and attnum > 0 and not attisdropped
      union all
      select case contype when 'p' then 1 when 'u' then 2 when 'f' then 3 else 4 end, '',
        format('  constraint %s %s', conname, pg_get_constraintdef(oid))
      from pg_constraint where conrelid = c.oid and contype in ('p', 'u', 'f', 'c')
    ) lines),
    coalesce((select string_agg(E'\\n' || pg_get_indexdef(indexrelid) || ';', '' order by indexrelid::regclass::text)
      from pg_index i where indrelid = c.oid
        and not exists (select 1 from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u'))), ''))
    || format(E'\\ncomment on table %s is %L;', relname, obj_description(c.oid, 'pg_class'))
    || coalesce((
      select string_agg(format(E'\\ncomment on column %s.%s is %L;', relname, attname, description), '' order by attnum)
      from pg_attribute join pg_description on objoid = attrelid and objsubid = attnum
      where attrelid = c.oid and attnum > 0 and classoid = 'pg_class'::regclass), '') as text
  from pg_class c
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'migrations'
  order by relname`;

const VIEWS = `
  select format(E'create view %s as\\n%s\\ncomment on view %s is %L;', relname, pg_get_viewdef(oid), relname,
    obj_description(oid, 'pg_class')) as text from pg_class
  where relnamespace = 'public'::regnamespace and relkind = 'v' order by relname`;
