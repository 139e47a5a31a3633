import { readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/** The user that PostgreSQL runs as, if not the current one. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root: root runs it with the uid of `postgres`, else `nobody`. Any other user runs it as
 * themselves.
 */
export function chooseServerUser(): ServerUser | undefined {
  if (isRoot()) return findUser("postgres") ?? findUser("nobody") ?? refuseRoot();

  assertHasName();
  return undefined;
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Whether the user may search every directory from the root down to this one. ACLs are not considered. */
export function canReach(directory: string, user: ServerUser): boolean {
  const { uid, gid, mode } = statSync(directory);
  const searchBit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & searchBit) === 0) return false;

  const parent = dirname(directory);
  return parent === directory || canReach(parent, user);
}

function findUser(name: string): ServerUser | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

function refuseRoot(): never {
  throw new EmbeddedPostgresError(
    "PostgreSQL does not run as root, and this system has neither a user postgres nor nobody to run it as.  " +
      "Run as an ordinary user, or set DATABASE_URL",
  );
}

/** initdb looks its user up by name; containers started with an arbitrary uid have none. */
function assertHasName(): void {
  try {
    userInfo();
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL needs a user with an entry in /etc/passwd, and uid ${process.getuid?.()} has none. ` +
        "Run as a named user, or set DATABASE_URL",
    );
  }
}
