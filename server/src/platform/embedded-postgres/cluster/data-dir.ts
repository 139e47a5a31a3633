import { chmodSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { codeOf, EmbeddedPostgresError, messageOf } from "../embedded-postgres-error.ts";
import { isRoot } from "../server-user.ts";
import { makeDir } from "./make-dir.ts";

/**
 * Creates the data directory if it is missing, and returns its absolute path. Under root others may search (not list)
 * it, because the server runs as another user; secrets in it are 0600, the cluster 0700.
 */
export function createDataDir(dataDir: string): string {
  const path = resolve(dataDir);
  const mode = isRoot() ? 0o711 : 0o700;
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(path);
    makeDir(path, mode);
    chmodSync(path, mode);
  } catch (error) {
    throw new EmbeddedPostgresError(`The data directory ${path} cannot be created: ${messageOf(error)}`);
  }
  return realpathSync(path);
}

/** Path of a data directory's cluster: inside, or where the pointer file points. */
export function clusterDirOf(dataDir: string): string {
  try {
    return readFileSync(pointerFileOf(dataDir), "utf8").trim();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return join(dataDir, "postgres");
  }
}

export function pointerFileOf(dataDir: string): string {
  return join(dataDir, "postgres-location");
}

export function logFileOf(dataDir: string): string {
  return join(dataDir, "postgres.log");
}
