import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { EmbeddedPostgresError, messageOf } from "../embedded-postgres-error.ts";
import { executable } from "../install-binaries.ts";
import { DATABASE_USER, serverEnvironment } from "../server-settings.ts";
import type { ClusterLocation } from "./locate-cluster.ts";

export interface InitOptions extends ClusterLocation {
  binariesDir: string;
  fsync: boolean;
  passwordFile: string | undefined;
}

/**
 * Creates the cluster if there is none. initdb runs in a temporary directory, so that a killed one is never used half
 * done.
 */
export async function initCluster(options: InitOptions): Promise<void> {
  const { clusterDir, binariesDir } = options;
  await removeIncomplete(clusterDir);
  if (existsSync(join(clusterDir, "PG_VERSION"))) return assertSameMajor(clusterDir, binariesDir);

  const halfMade = `${clusterDir}${INCOMPLETE_PREFIX}${randomUUID().slice(0, 8)}`;
  try {
    mkdirSync(halfMade, { mode: 0o700 });
    if (options.user) chownSync(halfMade, options.user.uid, options.user.gid);
    await runInitdb(halfMade, options);
    await rename(halfMade, clusterDir);
    if (options.fsync) syncDirectory(dirname(clusterDir));
  } finally {
    await rm(halfMade, { recursive: true, force: true });
  }
}

const INCOMPLETE_PREFIX = ".initdb-";

/** The initdb of a killed service continues until it misses its directory. */
const RETRY_REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 20 };

async function removeIncomplete(clusterDir: string): Promise<void> {
  const parent = dirname(clusterDir);
  for (const name of readdirSync(parent)) {
    if (name.startsWith(basename(clusterDir) + INCOMPLETE_PREFIX)) await rm(join(parent, name), RETRY_REMOVAL);
  }
}

function assertSameMajor(clusterDir: string, binariesDir: string): void {
  const made = readFileSync(join(clusterDir, "PG_VERSION"), "utf8").trim();
  const ours = /postgres-(\d+)/.exec(basename(binariesDir))?.[1];
  if (made === ours) return;

  throw new EmbeddedPostgresError(
    `The database in ${clusterDir} was created by PostgreSQL ${made}, but this release comes with PostgreSQL ${ours}. ` +
      `Use the release that created it, or a PostgreSQL ${made} server: set DATABASE_URL`,
  );
}

async function runInitdb(directory: string, options: InitOptions): Promise<void> {
  const initdb = join(options.binariesDir, "bin", executable("initdb"));
  // Trust is safe over the socket: its directory is accessible only to the server's user and root.
  const login = options.passwordFile ? ["--auth=scram-sha-256", `--pwfile=${options.passwordFile}`] : ["--auth=trust"];
  const text = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const arguments_ = ["-D", directory, "-U", DATABASE_USER, ...login, ...text, "--data-checksums", "--no-instructions"];
  if (!options.fsync) arguments_.push("--no-sync");

  try {
    await promisify(execFile)(initdb, arguments_, { cwd: "/", ...serverEnvironment(), ...options.user });
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL could not create a database in ${dirname(directory)}: ${messageOf(error)}`,
    );
  }
}

function syncDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(directory, "r");
  fsyncSync(handle);
  closeSync(handle);
}
