import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { connectClient, type DatabaseConnection } from "../../platform/database/connection.ts";
import { migrate, migrationNames } from "../../platform/database/migrate.ts";
import { openLog } from "../../platform/logging/log.ts";
import { BackupError, type BackupHeader, type BackupReader, openBackup } from "./backup-file.ts";
import type { OnTable } from "./create-backup.ts";

const SETTINGS = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0";

/**
 * Restores a backup into a database without projects, in one transaction, and then brings its schema up to date. Returns
 * the rows of each table.
 */
export async function restoreBackup(
  connection: DatabaseConnection,
  path: string,
  onTable: OnTable = () => {},
): Promise<Record<string, number>> {
  const backup = await openBackup(path);
  refuseNewer(backup.header);
  const log = openLog("serve", "silent");
  await migrate(connection, log, backup.header.schema.length);
  const options = [connection.options, SETTINGS].filter(Boolean).join(" ");
  const client = await connectClient({ ...connection, options, application_name: "millrace restore" });
  try {
    await refuseOther(client, backup.header);
    await client.query("begin");
    const rows = await load(client, backup, onTable);
    await client.query("commit");
    await client.query("analyze");
    await migrate(connection, log);
    return rows;
  } finally {
    await client.end();
  }
}

/** Reads a backup to its end without a database. Returns its header and the rows of each table. */
export async function verifyBackup(
  path: string,
  onTable: OnTable = () => {},
): Promise<{ header: BackupHeader; rows: Record<string, number> }> {
  const backup = await openBackup(path);
  for (const [nth] of backup.header.tables.entries()) {
    onTable(nth, backup.header.tables.length);
    for await (const _chunk of backup.rows());
  }
  return { header: backup.header, rows: await backup.finish() };
}

function refuseNewer({ schema }: BackupHeader): void {
  const known = new Set(migrationNames());
  const [unknown] = schema.filter((name) => !known.has(name));
  if (unknown !== undefined)
    throw new BackupError(`the backup was made by a newer version of Millrace: this one has no migration ${unknown}`);
}

async function refuseOther(client: pg.Client, { schema }: BackupHeader): Promise<void> {
  const { rows: projects } = await client.query("select 1 from projects limit 1");
  if (projects.length > 0) throw new BackupError("the database already has projects: restore into an empty one");
  const { rows: applied } = await client.query<{ name: string }>("select name from migrations order by name");
  if (applied.map(({ name }) => name).join() !== schema.join())
    throw new BackupError("the database has another schema than the backup: restore into an empty one");
}

async function load(client: pg.Client, backup: BackupReader, onTable: OnTable): Promise<Record<string, number>> {
  const { tables, sequences } = backup.header;
  // Migrations insert a few rows, which the backup has as well.
  await client.query(`truncate ${tables.map(({ name }) => pg.escapeIdentifier(name)).join(", ")}`);
  for (const [nth, { name, columns }] of tables.entries()) {
    onTable(nth, tables.length);
    const list = columns.map((column) => pg.escapeIdentifier(column)).join(", ");
    const target = client.query(copyFrom(`copy ${pg.escapeIdentifier(name)} (${list}) from stdin`));
    await pipeline(Readable.from(backup.rows(), { objectMode: false }), target);
  }
  for (const { name, last } of sequences)
    await client.query("select setval($1, $2)", [pg.escapeIdentifier(name), last]);
  return backup.finish();
}
