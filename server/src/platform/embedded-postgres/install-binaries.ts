import { randomUUID } from "node:crypto";
import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { makeDir } from "./cluster/make-dir.ts";
import { codeOf, EmbeddedPostgresError, messageOf } from "./embedded-postgres-error.ts";
import { type BinaryPackage, findPackage } from "./find-package.ts";
import { canReach, isRoot, type ServerUser } from "./server-user.ts";

export interface InstallOptions {
  user: ServerUser | undefined;
  /** The value of XDG_CACHE_HOME, if set. */
  cacheHome?: string | undefined;
}

/**
 * Returns the directory that holds bin/postgres, copied from the npm package if missing. A copy, because the package
 * may be read-only, lack its links (install scripts blocked), or be below a 0700 home.
 */
export async function installBinaries(options: InstallOptions, from = findPackage()): Promise<string> {
  const failures: string[] = [];
  for (const cacheDir of cacheDirs(options.cacheHome)) {
    try {
      return await installInto(cacheDir, from, options.user);
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL could not be unpacked anywhere (${failures.join("; ")}). Make one of these places writable, or set DATABASE_URL`,
  );
}

function cacheDirs(cacheHome: string | undefined): string[] {
  const home = isRoot() ? "/var/cache" : cacheHome || join(homedir(), ".cache");
  const shared = `millrace-cache-${process.getuid?.() ?? "user"}`;
  return [...new Set([join(home, "millrace"), join(tmpdir(), shared), join("/tmp", shared)])];
}

async function installInto(cacheDir: string, from: BinaryPackage, user: ServerUser | undefined): Promise<string> {
  const target = join(cacheDir, `postgres-${from.label}`);
  makeDir(cacheDir, 0o755);
  assertTrusted(cacheDir);
  if (isOurs(cacheDir)) await chmod(cacheDir, 0o755);
  if (!isComplete(target, from)) await copyAtOnce(target, from);

  assertTrusted(target);
  assertUsable(target, user);
  return target;
}

/** If another user could write to the directory, we would run their programs. */
function assertTrusted(directory: string): void {
  if (process.platform === "win32") return;
  const { uid, mode } = lstatSync(directory);
  const trusted = (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0;
  if (!trusted) throw new Error(`${directory} is writable by other users`);
}

function isOurs(directory: string): boolean {
  return lstatSync(directory).uid === process.getuid?.();
}

/** Access to a program also fails on a noexec mount. */
function assertUsable(target: string, user: ServerUser | undefined): void {
  const binDir = join(target, "bin");
  accessSync(join(binDir, executable("postgres")), constants.X_OK);
  if (user && !canReach(binDir, user)) throw new Error(`${binDir} is not accessible to uid ${user.uid}`);
}

/** Sizes are compared because a power cut may keep the rename and lose the content. */
function isComplete(target: string, from: BinaryPackage): boolean {
  return ["postgres", "initdb"].every((name) => {
    const file = join("bin", executable(name));
    const copy = statSync(join(target, file), { throwIfNoEntry: false });
    return copy?.size === statSync(join(from.nativeDir, file)).size;
  });
}

export function executable(name: string): string {
  return process.platform === "win32" ? `${name}.exe` : name;
}

/** Copies under a unique name, then renames: if two processes do so at once, either copy is fine. */
async function copyAtOnce(target: string, from: BinaryPackage): Promise<void> {
  await removeDeadCopies(target);
  const copy = `${target}.copying-${randomUUID()}`;
  try {
    await copyTree(from.nativeDir, copy);
    await makeLinks(copy);
    await moveInto(target, copy, from);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function moveInto(target: string, copy: string, from: BinaryPackage): Promise<void> {
  try {
    await rename(copy, target);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(codeOf(error) ?? "")) throw error;
    if (isComplete(target, from)) return;
    await rename(target, `${copy}-broken`);
    await rename(copy, target);
    await rm(`${copy}-broken`, { recursive: true, force: true });
  }
}

async function removeDeadCopies(target: string): Promise<void> {
  const longAgo = Date.now() - 600_000;
  for (const name of await readdir(dirname(target))) {
    const path = join(dirname(target), name);
    if (!name.startsWith(`${basename(target)}.copying-`)) continue;
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs < longAgo) await rm(path, { recursive: true, force: true });
  }
}

/** Modes are set explicitly: the umask may be 077, and the server may run as another user. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  const entries = await readdir(from, { withFileTypes: true });
  const copies = entries.map(async (entry) => {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) return;
    if (entry.isDirectory()) return copyTree(source, copy);
    await copyFile(source, copy, constants.COPYFILE_FICLONE);
    await chmod(copy, (await stat(source)).mode & 0o111 ? 0o755 : 0o644);
  });
  await Promise.all(copies);
}

/** npm cannot pack links; the package lists them, as `source` (the file) and `target` (the link). */
async function makeLinks(copy: string): Promise<void> {
  const list = await readFile(join(copy, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const link = join(copy, target.replace(/^native\//, ""));
    await symlink(relative(dirname(target), source), link);
  }
}
