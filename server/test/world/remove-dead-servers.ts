import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { removeDataDir } from "../../src/platform/embedded-postgres/cluster/remove-data-dir.ts";
import { findPostmaster } from "../../src/platform/embedded-postgres/postmaster.ts";

const NAME = /^millrace-tests-\w{6}$/;
const MAX_START_MS = 600_000; // a run that is starting has no server yet

/** Removes in-memory databases of killed runs immediately: each would occupy 70 MB of memory for a day. */
export function removeDeadServers(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const dataDir = join(folder, name);
    if (NAME.test(name) && isOld(dataDir) && !findPostmaster(join(dataDir, "postgres"))) removeDataDir(dataDir);
  }
}

function isOld(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > MAX_START_MS;
}
