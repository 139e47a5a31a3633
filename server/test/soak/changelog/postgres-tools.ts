import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type PostgresTools, run } from "../../outside/installed-postgres.ts";
import type { TestConnection } from "../../world/database.ts";
import { whenFileEnds } from "../../world/end-of-file.ts";

/**
 * `pg_dump` of a snapshot, then `pg_restore` into an empty database. Returns the number of rows, after checking that each
 * table has the same ones as the snapshot.
 */
export async function dumpAndRestore(
  { folder }: PostgresTools,
  source: TestConnection,
  target: TestConnection,
  whenSnapshot: () => Promise<unknown>,
): Promise<number> {
  const file = join(mkdtempSync("/tmp/millrace-tests-"), "dump");
  whenFileEnds(async () => rmSync(join(file, ".."), { recursive: true, force: true }));
  const holder = new pg.Client(source);
  await holder.connect();
  await holder.query("begin isolation level repeatable read, read only");
  const { rows } = await holder.query<{ id: string }>("select pg_export_snapshot() as id");
  await whenSnapshot();
  const placeOf = ({ host, port, user }: TestConnection) => ["-h", host, "-p", String(port), "-U", user];
  const dump = ["--format=custom", `--snapshot=${rows[0]?.id}`, "--file", file, source.database];
  await run(join(folder, "pg_dump"), [...placeOf(source), ...dump]);
  const before = await readTables(holder);
  await holder.end();
  await run(join(folder, "pg_restore"), [
    ...placeOf(target),
    "--exit-on-error",
    "--no-owner",
    "-d",
    target.database,
    file,
  ]);
  const reader = new pg.Client(target);
  await reader.connect();
  const after = await readTables(reader);
  await reader.end();
  const differing = Object.keys(before).filter((name) => before[name] !== after[name]);
  if (differing.length > 0) throw new Error(`after the restore these tables differ: ${differing.join(", ")}`);
  return Object.values(before).reduce((sum, each) => sum + Number(each.split(" ")[0]), 0);
}

/** The number of rows of each table, and a hash of them in any order. */
async function readTables(client: pg.Client): Promise<Record<string, string>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(c.relname) as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const read: Record<string, string> = {};
  for (const { name } of tables) {
    const { rows } = await client.query<{ hash: string }>(
      `select concat_ws(' ', count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)) as hash from ${name} t`,
    );
    read[name] = rows[0]?.hash ?? "";
  }
  return read;
}
