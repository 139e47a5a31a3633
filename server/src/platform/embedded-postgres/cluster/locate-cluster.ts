import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EmbeddedPostgresError } from "../embedded-postgres-error.ts";
import { canReach, chooseServerUser, isRoot, type ServerUser } from "../server-user.ts";
import { clusterDirOf, pointerFileOf } from "./data-dir.ts";

export interface ClusterLocation {
  clusterDir: string;
  user: ServerUser | undefined;
}

/** Decides the location of the cluster and the user that runs it. An existing cluster determines both. */
export function locateCluster(dataDir: string, say: (line: string) => void): ClusterLocation {
  const clusterDir = clusterDirOf(dataDir);
  const owner = ownerOf(clusterDir);
  if (!isRoot()) return locateNew(clusterDir, owner);

  const user = owner ?? chooseServerUser();
  if (!user || canReach(dirname(clusterDir), user)) return { clusterDir, user };
  if (owner) throw unreachableCluster(clusterDir, owner);
  return { clusterDir: moveOut(dataDir, say), user };
}

function ownerOf(clusterDir: string): ServerUser | undefined {
  const found = statSync(clusterDir, { throwIfNoEntry: false });
  return found && { uid: found.uid, gid: found.gid };
}

function locateNew(clusterDir: string, owner: ServerUser | undefined): ClusterLocation {
  const uid = process.getuid?.();
  if (owner && uid !== undefined && owner.uid !== uid) {
    throw new EmbeddedPostgresError(
      `The database in ${clusterDir} belongs to uid ${owner.uid}, and this is uid ${uid}. ` +
        "Run as the user (or root) who created it, or choose another data directory",
    );
  }
  return { clusterDir, user: chooseServerUser() };
}

/** An empty database next to the existing one would look like lost data. */
function unreachableCluster(clusterDir: string, owner: ServerUser): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The database in ${clusterDir} runs as uid ${owner.uid}, which may no longer search the directories above it. ` +
      `Allow that (chmod o+x on each directory above it), or set DATABASE_URL`,
  );
}

/** The checkout is below a directory closed to the server's user, such as /root. */
function moveOut(dataDir: string, say: (line: string) => void): string {
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const home = join("/var/lib/millrace", name);
  setAside(home, say);
  for (const directory of [dirname(home), home]) {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o711);
  }
  const clusterDir = join(home, "postgres");
  writePointer(dataDir, clusterDir);
  say(`PostgreSQL has no access to ${dataDir}: the database is in ${clusterDir}`);
  return clusterDir;
}

/** A user who deleted the data directory expects a fresh start, but may still want the old database back. */
function setAside(home: string, say: (line: string) => void): void {
  if (!existsSync(home)) return;
  const moved = `${home}.from-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  renameSync(home, moved);
  say(`A database of an earlier data directory of this name was moved to ${moved}`);
}

function writePointer(dataDir: string, clusterDir: string): void {
  const pointer = pointerFileOf(dataDir);
  writeFileSync(`${pointer}.new`, `${clusterDir}\n`, { mode: 0o644 });
  renameSync(`${pointer}.new`, pointer);
}
