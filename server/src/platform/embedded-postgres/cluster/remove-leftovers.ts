import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const DAY_MS = 86_400_000;
const MAX_BATCH = 500; // keeps each start short; the next one continues

/**
 * Folders with these names, untouched for `days`. `onlyEmpty`: folders with content stay; `holds`: folders without this
 * content stay.
 */
type Leftovers = { name: RegExp; days: number; onlyEmpty?: boolean; holds?: string };

/** Folders of servers' sockets: they stay when a server stops. One in use contains a socket. */
export const SOCKET_DIRS: Leftovers = { name: /^millrace-[0-9a-f]{12}$/, days: 1, onlyEmpty: true };

/** Removes leftovers of killed processes, and returns the removed paths. Paths that cannot be removed stay. */
export function removeLeftovers(folder: string, leftovers: readonly Leftovers[], now = Date.now()): string[] {
  const gone: string[] = [];
  for (const entry of existsSync(folder) ? readdirSync(folder) : []) {
    const kind = leftovers.find(({ name }) => name.test(entry));
    if (!kind || gone.length >= MAX_BATCH) continue;
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
