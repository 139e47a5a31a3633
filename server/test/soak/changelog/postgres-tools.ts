import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { asArguments } from "../../../src/platform/embedded-postgres/server-settings.ts";
import { chooseServerUser } from "../../../src/platform/embedded-postgres/server-user.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { whenFileEnds } from "../../world/end-of-file.ts";
import { until } from "../../world/until.ts";

/** Programs of a PostgreSQL that is installed on this machine; the embedded one has no `pg_dump`. */
export type PostgresTools = { folder: string; version: number; hasServer: boolean };

const DEBIAN = "/usr/lib/postgresql";
const CLUSTER_USER = "millrace";

/** The newest: below POSTGRES_BIN, where Debian installs them, or on the PATH. Undefined: there are none. */
export async function findTools(): Promise<PostgresTools | undefined> {
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, "bin")) : [];
  const folders = [process.env.POSTGRES_BIN ?? "", ...debian, ...(process.env.PATH ?? "").split(":")];
  const found: PostgresTools[] = [];
  for (const folder of folders.filter((each) => existsSync(join(each, "pg_dump")))) {
    const { stdout } = await run(join(folder, "pg_dump"), ["--version"]);
    const hasServer = ["initdb", "postgres"].every((name) => existsSync(join(folder, name)));
    found.push({ folder, version: Number(/(\d+)/.exec(stdout)?.[1]), hasServer });
  }
  return found.sort((a, b) => b.version - a.version)[0];
}

const run = promisify(execFile);

/** A new cluster of the installed version, with an empty database. */
export async function startInstalledPostgres({ folder }: PostgresTools): Promise<TestConnection> {
  const user = chooseServerUser();
  const place = mkdtempSync("/tmp/millrace-tests-");
  if (user) chownSync(place, user.uid, user.gid);
  const dataDir = join(place, "data");
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  await run(join(folder, "initdb"), ["-D", dataDir, "-U", CLUSTER_USER, "-A", "trust", "-E", "UTF8", "-N"], {
    ...user,
    env,
  });
  const settings = {
    ...{ listen_addresses: "", unix_socket_directories: place, max_connections: "100", jit: "off", timezone: "UTC" },
    ...{ fsync: "off", synchronous_commit: "off", full_page_writes: "off", track_commit_timestamp: "on" },
  };
  const server = spawn(join(folder, "postgres"), ["-D", dataDir, ...asArguments(settings)], {
    ...user,
    env,
    stdio: "ignore",
  });
  whenFileEnds(async () => {
    server.kill("SIGINT");
    if (server.exitCode === null) await once(server, "exit");
    rmSync(place, { recursive: true, force: true });
  });
  const connection = { host: place, port: 5432, user: CLUSTER_USER, database: "postgres" };
  await until("PostgreSQL to start", 60_000, () => runSql(connection, "select 1").catch(() => undefined));
  await runSql(connection, `create database ${CLUSTER_USER}`);
  return { ...connection, database: CLUSTER_USER };
}

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
