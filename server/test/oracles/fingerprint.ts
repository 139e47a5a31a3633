import { runSql, type TestConnection } from "../world/database.ts";

type Table = { name: string; key: string };

/**
 * A hash of all data of each project, per table: `<project_id> <table>`. Two equal fingerprints mean that nothing changed
 * in between. One statement for all projects: it reads every table.
 */
export async function fingerprintsOf(
  connection: TestConnection,
  project_ids: readonly string[],
): Promise<Map<string, string>> {
  const tables = await tablesOf(connection);
  // A timer writes the last use of a key, independently of the requests.
  const parts = tables.map(
    ({ name, key }) =>
      `select project_id || ' ${name}' as name, md5(string_agg(row, ',' order by row)) as hash
       from (select t.${key} as project_id, (to_jsonb(t) - 'last_used_at')::text as row from "${name}" t
             where t.${key} = any($1::uuid[])) rows
       group by project_id`,
  );
  const rows = await runSql<{ name: string; hash: string }>(connection, parts.join(" union all "), [project_ids]);
  return new Map(rows.map(({ name, hash }) => [name, hash]));
}

const known = new WeakMap<TestConnection, Promise<Table[]>>();

function tablesOf(connection: TestConnection): Promise<Table[]> {
  const tables =
    known.get(connection) ??
    runSql<Table>(
      connection,
      `select c.relname as name, case when c.relname = 'projects' then 'id' else 'project_id' end as key
       from pg_class c join pg_attribute a on a.attrelid = c.oid
         and a.attname = case when c.relname = 'projects' then 'id' else 'project_id' end
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    );
  known.set(connection, tables);
  return tables;
}
