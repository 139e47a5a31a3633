import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { asArguments } from "../../src/platform/embedded-postgres/server-settings.ts";
import { chooseServerUser, type ServerUser } from "../../src/platform/embedded-postgres/server-user.ts";
import { runSql, type TestConnection } from "../world/database.ts";
import { whenFileEnds } from "../world/end-of-file.ts";
import { until } from "../world/until.ts";
import { freePort } from "./free-port.ts";

/** Programs of a PostgreSQL that is installed on this machine; the embedded one has no `pg_dump`. */
export type PostgresTools = { folder: string; version: number; hasServer: boolean };

export type InstalledServer = {
  /** By its socket, as the superuser. */
  connection: TestConnection;
  /** On 127.0.0.1. */
  port: number;
  /** Who may read files next to its data directory. */
  user: ServerUser | undefined;
  /** The folder above the data directory. */
  place: string;
  start: () => Promise<void>;
  /** SIGQUIT is a crash: its processes end at once. */
  stop: (signal?: NodeJS.Signals) => Promise<void>;
  /** A copy of it that follows it and can be promoted, on this port or a free one. Not started yet. */
  standby: (name: string, port?: number) => Promise<InstalledServer>;
  promote: () => Promise<void>;
  /** A base backup, taken now. It can be recovered from the archive to a restore point, as a new server; not started yet. */
  backUp: () => Promise<(restorePoint: string) => Promise<InstalledServer>>;
};

type Options = {
  port?: number;
  /** Archives its WAL, for `backUp`. */
  archives?: boolean;
  settings?: Record<string, string>;
  hba?: string[];
  files?: (place: string, user: ServerUser | undefined) => Promise<void>;
};

const DEBIAN = "/usr/lib/postgresql";
const SUPERUSER = "millrace";
const ENVIRONMENT = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
const SETTINGS = {
  ...{ max_connections: "100", timezone: "UTC", track_commit_timestamp: "on", wal_keep_size: "1GB" },
  ...{ shared_buffers: "128MB" },
};

export const run = promisify(execFile);

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

/** A suite that is asked for by name fails without its programs, and says how to install them. */
export async function needTools(): Promise<PostgresTools> {
  const tools = await findTools();
  if (tools?.hasServer) return tools;
  throw new Error("this suite needs a PostgreSQL server: apt-get install postgresql, or POSTGRES_BIN=<its folder>");
}

/** The path of another program, such as `pgbouncer`. */
export function needProgram(name: string, debianPackage = name): string {
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  const folder = folders.find((each) => existsSync(join(each, name)));
  if (folder) return join(folder, name);
  throw new Error(`this suite needs ${name}: apt-get install ${debianPackage}`);
}

/** A new cluster of the installed version, with a database. */
export async function startInstalledServer(tools: PostgresTools, options: Options = {}): Promise<InstalledServer> {
  const user = chooseServerUser();
  const place = folderFor(user);
  const initdb = ["-D", join(place, "data"), "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "-N"];
  await run(join(tools.folder, "initdb"), initdb, { ...user, env: ENVIRONMENT });
  await options.files?.(place, user);
  if (options.hba) writeFileSync(join(place, "data", "pg_hba.conf"), [LOCAL_TRUST, ...options.hba, ""].join("\n"));
  const server = await serverIn(place, tools, user, options, options.port ?? (await freePort()));
  await server.start();
  await runSql({ ...server.connection, database: "postgres" }, `create database ${SUPERUSER}`);
  return server;
}

/** The tests themselves use the socket. */
const LOCAL_TRUST = "local all all trust\nlocal replication all trust";

function folderFor(user: ServerUser | undefined): string {
  const place = mkdtempSync("/tmp/millrace-tests-");
  if (user) chownSync(place, user.uid, user.gid);
  return place;
}

async function serverIn(
  place: string,
  tools: PostgresTools,
  user: ServerUser | undefined,
  options: Options,
  port: number,
): Promise<InstalledServer> {
  const dataDir = join(place, "data");
  const connection = { host: place, port, user: SUPERUSER, database: SUPERUSER };
  const own = { listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: place };
  const archive = join(place, "archive");
  const archiving = options.archives && {
    archive_mode: "on",
    archive_command: `mkdir -p ${archive} && cp %p ${archive}/%f`,
  };
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const settings = asArguments({ ...SETTINGS, ...options.settings, ...archiving, ...own });
    const program = join(tools.folder, "postgres");
    server = spawn(program, ["-D", dataDir, ...settings], { ...user, env: ENVIRONMENT, stdio: "ignore" });
    const anywhere = { ...connection, database: "postgres" };
    await until("PostgreSQL to start", 60_000, () => runSql(anywhere, "select 1").catch(() => undefined));
  }

  async function stop(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, "exit");
  }

  async function standby(name: string, own?: number): Promise<InstalledServer> {
    const copy = folderFor(user);
    const from = ["-h", place, "-p", String(port), "-U", SUPERUSER];
    const into = ["-D", join(copy, "data"), "-R", "-X", "stream", "--checkpoint=fast"];
    await run(join(tools.folder, "pg_basebackup"), [...from, ...into], { ...user, env: ENVIRONMENT });
    const source = `host=${place} port=${port} user=${SUPERUSER} application_name=${name}`;
    appendFileSync(join(copy, "data", "postgresql.auto.conf"), `\nprimary_conninfo = '${source}'\n`);
    return serverIn(copy, tools, user, options, own ?? (await freePort()));
  }

  async function backUp(): Promise<(restorePoint: string) => Promise<InstalledServer>> {
    const copy = folderFor(user);
    const from = ["-h", place, "-p", String(port), "-U", SUPERUSER];
    const into = ["-D", join(copy, "data"), "-X", "none", "--checkpoint=fast", "--no-manifest"];
    await run(join(tools.folder, "pg_basebackup"), [...from, ...into], { ...user, env: ENVIRONMENT });
    return async (restorePoint) => {
      const recovery = [
        `restore_command = 'cp ${archive}/%f %p'`,
        `recovery_target_name = '${restorePoint}'`,
        "recovery_target_action = 'promote'",
      ];
      appendFileSync(join(copy, "data", "postgresql.auto.conf"), `\n${recovery.join("\n")}\n`);
      writeFileSync(join(copy, "data", "recovery.signal"), "");
      if (user) chownSync(join(copy, "data", "recovery.signal"), user.uid, user.gid);
      return serverIn(copy, tools, user, { ...options, archives: false }, await freePort());
    };
  }

  whenFileEnds(async () => {
    await stop();
    rmSync(place, { recursive: true, force: true });
  });
  const promote = async () => {
    await runSql({ ...connection, database: "postgres" }, "select pg_promote()");
  };
  return { connection, port, user, place, start, stop, standby, promote, backUp };
}

/** Its address on TCP, with parameters such as `?sslmode=require`. */
export function addressOf({ port, connection }: InstalledServer, parameters = "", host = "127.0.0.1"): string {
  return `postgres://${connection.user}@${host}:${port}/${connection.database}${parameters}`;
}

/** Files of a certificate authority and of a server that it signed, for the name `localhost` only. */
export async function makeCertificates(place: string, user: ServerUser | undefined): Promise<void> {
  const path = (name: string) => join(place, name);
  const openssl = (...args: string[]) => run(needProgram("openssl"), args);
  const request = ["req", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  await openssl(...request, "-x509", "-subj", "/CN=tests", "-keyout", path("ca.key"), "-out", path("ca.crt"));
  writeFileSync(path("names"), "subjectAltName=DNS:localhost\n");
  for (const [name, subject] of [
    ["server", "localhost"],
    ["client", "certified"],
  ] as const) {
    await openssl(...request, "-subj", `/CN=${subject}`, "-keyout", path(`${name}.key`), "-out", path(`${name}.csr`));
    const signing = ["-CA", path("ca.crt"), "-CAkey", path("ca.key"), "-CAcreateserial", "-days", "2"];
    const names = name === "server" ? ["-extfile", path("names")] : [];
    await openssl("x509", "-req", "-in", path(`${name}.csr`), ...signing, ...names, "-out", path(`${name}.crt`));
  }
  for (const name of ["server.key", "server.crt", "ca.crt"]) {
    const inside = join(place, "data", name);
    cpSync(path(name), inside);
    if (user) chownSync(inside, user.uid, user.gid);
  }
}

/** One statement over a connection as a client of its own opens it. */
export async function queryOnce<T extends pg.QueryResultRow>(config: pg.ClientConfig, text: string): Promise<T[]> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}
