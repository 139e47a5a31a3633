import { runSql, type TestConnection } from "../world/database.ts";

/** Every row of every table as text, grouped by table, as in a dump of the database. */
export async function dumpTables(connection: TestConnection): Promise<Record<string, string>> {
  const dump: Record<string, string> = {};
  for (const name of await tableNames(connection)) {
    const rows = await runSql<{ row: string }>(connection, `select t::text as row from "${name}" t`);
    dump[name] = rows.map(({ row }) => row).join("\n");
  }
  return dump;
}

/** Returns the tables that contain a text in any column, each with a matching row. */
export async function tablesHolding(connection: TestConnection, text: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of await tableNames(connection)) {
    const [row] = await runSql<{ row: string }>(
      connection,
      `select t::text as row from "${name}" t where t::text like '%' || $1 || '%' limit 1`,
      [text],
    );
    if (row) found[name] = row.row.slice(0, 2_000);
  }
  return found;
}

async function tableNames(connection: TestConnection): Promise<string[]> {
  const tables = await runSql<{ name: string }>(
    connection,
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return tables.map(({ name }) => name);
}
