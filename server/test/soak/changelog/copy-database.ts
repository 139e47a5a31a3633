import pg from "pg";
import type { TestConnection } from "../../world/database.ts";

const PAGE = 1_000;

type Table = { name: string; columns: string[] };

/**
 * Copies every row into a database with the same empty schema, as `pg_dump` and `psql` do: all tables in one snapshot,
 * then the sequences as they are. Nothing of the old cluster comes along: not its transaction ids, not its identity.
 * `whenSnapshot` is called once the snapshot is taken, with the rows still to be read.
 */
export async function copyDatabase(
  source: TestConnection,
  target: TestConnection,
  whenSnapshot: () => Promise<unknown>,
): Promise<number> {
  const [from, to] = [new pg.Client(source), new pg.Client(target)];
  await Promise.all([from.connect(), to.connect()]);
  await from.query("begin isolation level repeatable read, read only");
  const tables = await readTables(from);
  await whenSnapshot();
  // Foreign keys are not checked meanwhile: tables are copied in the order of their names.
  await to.query("set session_replication_role = replica");
  await to.query(`truncate ${tables.map(({ name }) => `"${name}"`).join(", ")}`);
  let rows = 0;
  for (const table of tables) rows += await copyTable(from, to, table);
  for (const { name, last } of await readSequences(from)) await to.query("select setval($1, $2)", [name, last]);
  await Promise.all([from.end(), to.end()]);
  return rows;
}

async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name, json_agg(a.attname order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by c.relname order by c.relname`,
  );
  return rows;
}

async function copyTable(from: pg.Client, to: pg.Client, { name, columns }: Table): Promise<number> {
  await from.query(`declare rows_of_table cursor for select t::text as row from "${name}" t`);
  let copied = 0;
  for (;;) {
    const { rows } = await from.query<{ row: string }>(`fetch ${PAGE} from rows_of_table`);
    if (rows.length === 0) break;
    const list = columns.map((column) => `"${column}"`).join(", ");
    await to.query(
      `insert into "${name}" (${list}) overriding system value
       select ${list} from (select (r::"${name}").* from unnest($1::text[]) as r) t`,
      [rows.map(({ row }) => row)],
    );
    copied += rows.length;
  }
  await from.query("close rows_of_table");
  return copied;
}

async function readSequences(client: pg.Client): Promise<{ name: string; last: string }[]> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `select quote_ident(sequencename) as name, last_value as last from pg_sequences
     where schemaname = 'public' and last_value is not null`,
  );
  return rows;
}
