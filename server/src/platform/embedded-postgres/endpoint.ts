import { createHash } from "node:crypto";
import { chmodSync, chownSync, lstatSync, mkdirSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClusterLocation } from "./cluster/locate-cluster.ts";
import type { Endpoint } from "./connection.ts";
import { codeOf, EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import type { Postmaster } from "./postmaster.ts";
import { canReach, type ServerUser } from "./server-user.ts";
import { LOOPBACK, openWindowsEndpoint, readPassword } from "./windows-endpoint.ts";

/** Prepares the server's endpoint: a socket in a 0700 directory, so that neither network nor password is needed. */
export async function openEndpoint(dataDir: string, location: ClusterLocation): Promise<Endpoint> {
  if (process.platform === "win32") return openWindowsEndpoint(dataDir);

  const socketDir = socketDirFor(location);
  createSocketDir(socketDir, location.user);
  return {
    host: socketDir,
    port: SOCKET_PORT,
    settings: { listen_addresses: "", unix_socket_directories: socketDir, port: String(SOCKET_PORT) },
  };
}

/** Where a running server listens, from its pid file. */
export function endpointOf(
  dataDir: string,
  { socketDir, port }: Postmaster,
): Pick<Endpoint, "host" | "port" | "password"> {
  const password = readPassword(dataDir);
  return { host: socketDir || LOOPBACK, port, ...(password ? { password } : {}) };
}

/** Only a part of the socket's file name. */
const SOCKET_PORT = 5432;

/** sun_path on macOS, the shortest, less the terminating zero; Linux has 107. */
const MAX_SOCKET_PATH_LENGTH = 103;

/** Kept when the server stops: removing it could race with the next server's start. */
export function socketDirFor({ clusterDir, user }: ClusterLocation): string {
  const name = `millrace-${createHash("sha256").update(clusterDir).digest("hex").slice(0, 12)}`;
  const fits = (directory: string) => join(directory, name, `.s.PGSQL.${SOCKET_PORT}`).length <= MAX_SOCKET_PATH_LENGTH;
  const isOpen = (directory: string) => !user || canReach(directory, user);
  const temporary = tmpdir();
  return join(fits(temporary) && isOpen(temporary) ? temporary : "/tmp", name);
}

function createSocketDir(socketDir: string, user: ServerUser | undefined): void {
  try {
    mkdirSync(socketDir, { mode: 0o700 });
    if (user) chownSync(socketDir, user.uid, user.gid);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const { uid } = lstatSync(socketDir);
  const isOurs = lstatSync(socketDir).isDirectory() && uid === (user?.uid ?? process.getuid?.());
  if (!isOurs) {
    throw new EmbeddedPostgresError(
      `${socketDir}, where the database's socket belongs, is owned by uid ${uid}. Remove it, or set DATABASE_URL`,
    );
  }
  chmodSync(socketDir, 0o700);
  const now = new Date();
  utimesSync(socketDir, now, now); // otherwise a long unused one could be removed as a leftover just now
}
