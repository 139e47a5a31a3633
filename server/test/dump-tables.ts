import { runSql, type TestConnection } from "./database.ts";

/** The names of the tables that hold a text anywhere, with a row that does. Every table and every column is looked at. */
export async function tablesHolding(connection: TestConnection, text: string): Promise<Record<string, string>> {
  const tables = await runSql<{ name: string }>(
    connection,
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await runSql<{ row: string }>(
      connection,
      `select t::text as row from "${name}" t where t::text like '%' || $1 || '%' limit 1`,
      [text],
    );
    if (row) found[name] = row.row.slice(0, 2_000);
  }
  return found;
}
