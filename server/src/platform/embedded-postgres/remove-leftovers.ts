import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const DAY_MS = 86_400_000;
const MOST_AT_ONCE = 500; // so that no start takes long; the next one goes on

/**
 * Folders of these names, once nobody has touched them for `days`. `onlyEmpty`: what has something in it stays;
 * `holds`: what has not this in it.
 */
type Leftovers = { name: RegExp; days: number; onlyEmpty?: boolean; holds?: string };

/** Folders of servers' sockets: they stay when a server stops. One that is in use has a socket in it. */
export const SOCKET_DIRS: Leftovers = { name: /^millrace-[0-9a-f]{12}$/, days: 1, onlyEmpty: true };

/** Removes what processes left that were killed before they could. Answers what is gone. What cannot be removed stays. */
export function removeLeftovers(folder: string, leftovers: readonly Leftovers[], now = Date.now()): string[] {
  const gone: string[] = [];
  for (const entry of existsSync(folder) ? readdirSync(folder) : []) {
    const kind = leftovers.find(({ name }) => name.test(entry));
    if (!kind || gone.length >= MOST_AT_ONCE) continue;
    const path = join(folder, entry);
    if (isOld(path, now - kind.days * DAY_MS) && remove(path, kind)) gone.push(entry);
  }
  return gone;
}

function isOld(path: string, before: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.mtimeMs < before;
}

function remove(path: string, { onlyEmpty, holds }: Leftovers): boolean {
  if (holds !== undefined && !existsSync(join(path, holds))) return false;
  try {
    if (onlyEmpty) rmdirSync(path);
    else rmSync(path, { recursive: true });
    return true;
  } catch {
    return false;
  }
}
