import { createHash, type Hash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { connectClient, type DatabaseConnection } from "../../platform/database/connection.ts";
import { migratedTables, readMigrations } from "../../platform/database/migrate.ts";
import { BackupError, type BackupHeader } from "./backup-file.ts";

const NEWLINE = 0x0a;
/** Timeouts meant for requests must not end the backup's snapshot. */
const SETTINGS = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c lock_timeout=10s";
/** Left out: the state of running instances, and `migrations`, which the header has. */
const LEFT_OUT = ["instances", "leaders", "migrations"];

/** Called before each table. */
export type OnTable = (done: number, total: number) => void;

/**
 * Writes all tables of one snapshot into a file, while the service runs. Returns the rows of each table. The file appears
 * under its name when it is complete; only its owner can read it.
 */
export async function createBackup(
  connection: DatabaseConnection,
  path: string,
  onTable: OnTable = () => {},
): Promise<Record<string, number>> {
  if (existsSync(path)) throw new BackupError(`${path} exists: choose another name`);
  const options = [connection.options, SETTINGS].filter(Boolean).join(" ");
  const client = await connectClient({ ...connection, options, application_name: "millrace backup" });
  const unfinished = `${path}.unfinished`;
  try {
    await client.query("begin isolation level repeatable read, read only");
    const header = await readHeader(client);
    const rows: Record<string, number> = {};
    const file = createWriteStream(unfinished, { mode: 0o600 });
    await pipeline(Readable.from(contents(client, header, rows, onTable)), createGzip({ level: 6 }), file);
    await rename(unfinished, path);
    return rows;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await client.end();
  }
}

async function* contents(
  client: pg.Client,
  header: BackupHeader,
  rows: Record<string, number>,
  onTable: OnTable,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const hashed = (text: string) => update(hash, Buffer.from(text));
  yield hashed(`${JSON.stringify(header)}\n`);
  for (const [nth, { name, columns }] of header.tables.entries()) {
    onTable(nth, header.tables.length);
    let count = 0;
    const list = columns.map((column) => pg.escapeIdentifier(column)).join(", ");
    const copy = client.query(copyTo(`copy (select ${list} from ${pg.escapeIdentifier(name)}) to stdout`));
    for await (const chunk of copy as AsyncIterable<Buffer>) {
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count++;
      yield update(hash, chunk);
    }
    rows[name] = count;
    yield hashed("\\.\n");
  }
  yield Buffer.from(`${JSON.stringify({ rows, sha256: hash.digest("hex") })}\n`);
}

function update(hash: Hash, chunk: Buffer): Buffer {
  hash.update(chunk);
  return chunk;
}

async function readHeader(client: pg.Client): Promise<BackupHeader> {
  const { applied } = await readMigrations(client);
  if (applied.length === 0) throw new BackupError("the database has no tables of Millrace");
  const { rows: tables } = await client.query<BackupHeader["tables"][number]>(
    `select c.relname as name, json_agg(a.attname order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname = any($1)
     group by c.relname order by c.relname`,
    [migratedTables().filter((name) => !LEFT_OUT.includes(name))],
  );
  const { rows: references } = await client.query<{ table: string; target: string }>(
    `select r.conrelid::regclass::text as table, r.confrelid::regclass::text as target from pg_constraint r
     where r.contype = 'f' and r.connamespace = current_schema()::regnamespace and r.conrelid <> r.confrelid`,
  );
  const { rows: sequences } = await client.query<{ name: string; last: string }>(
    `select sequencename as name, last_value as last from pg_sequences
     where schemaname = current_schema() and last_value is not null order by sequencename`,
  );
  const { rows: now } = await client.query<{ at: Date }>("select clock() as at");
  return {
    format: "millrace-backup/1",
    created_at: new Date(now[0]?.at ?? 0).toISOString(),
    schema: applied,
    tables: targetsFirst(tables, references),
    sequences,
  };
}

/** A table after those that its foreign keys refer to. */
function targetsFirst(
  tables: BackupHeader["tables"],
  references: readonly { table: string; target: string }[],
): BackupHeader["tables"] {
  const sorted: BackupHeader["tables"] = [];
  let left = tables;
  while (left.length > 0) {
    const names = new Set(left.map(({ name }) => name));
    const free = left.filter(({ name }) => !references.some((each) => each.table === name && names.has(each.target)));
    if (free.length === 0) throw new Error(`the foreign keys of ${[...names].join(", ")} form a cycle`);
    sorted.push(...free);
    left = left.filter((table) => !free.includes(table));
  }
  return sorted;
}
