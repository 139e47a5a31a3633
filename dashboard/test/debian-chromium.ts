import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isRunning } from "../../server/src/platform/embedded-postgres/running-process.ts";
import { until } from "../../server/test/world/until.ts";

const run = promisify(execFile);

const CACHE_DIR = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "millrace-tests", "chromium");
const MAX_LOCK_MS = 600_000;

/**
 * Fetches Debian's Chromium and the packages it lacks on this machine with apt, once, and unpacks them into the user's
 * cache. Needs no root and changes nothing that is installed. About 120 MB.
 */
export async function debianChromium(): Promise<string> {
  const start = join(CACHE_DIR, "start");
  try {
    await mkdir(dirname(CACHE_DIR), { recursive: true });
    if (!existsSync(start)) await withFileLock(`${CACHE_DIR}.lock`, () => fetchOnce(start));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The browser tests found no Chromium. Install one (apt-get install chromium) or name one in ` +
        `PLAYWRIGHT_CHROMIUM_PATH. Fetching Debian's into ${CACHE_DIR} failed: ${reason}`,
    );
  }
  return start;
}

/** Another process may have fetched it while this one waited for the lock. */
async function fetchOnce(start: string): Promise<void> {
  if (existsSync(start)) return;
  process.stderr.write("Fetching Debian's Chromium for the browser tests (once, about 120 MB)…\n");
  const draft = await mkdtemp(`${CACHE_DIR}-`);
  try {
    await unpackInto(draft);
    await run(join(draft, "start"), ["--version"]); // discard a build that lacks a library
    await keep(draft);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function unpackInto(folder: string): Promise<void> {
  const archives = join(folder, "archives");
  await mkdir(join(folder, "lists", "partial"), { recursive: true });
  await mkdir(join(archives, "partial"), { recursive: true });
  const own = [
    ["Dir::State::lists", join(folder, "lists")],
    ["Dir::Cache", folder],
    ["Dir::Cache::archives", archives],
    ["Debug::NoLocking", "1"],
    ["APT::Sandbox::User", "root"],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  await run("apt-get", ["-qq", ...own, "update"]);
  await run("apt-get", ["-qq", "-y", ...own, "--no-install-recommends", "--download-only", "install", "chromium"]);
  const packages = (await readdir(archives)).filter((name) => name.endsWith(".deb"));
  for (const name of packages) await run("dpkg-deb", ["--extract", join(archives, name), join(folder, "root")]);
  await rm(archives, { recursive: true });
  await rm(join(folder, "lists"), { recursive: true });
  await writeStart(folder);
}

/** Its libraries are next to it, where the system does not look. */
async function writeStart(folder: string): Promise<void> {
  const start = join(folder, "start");
  const lines = [
    "#!/bin/sh",
    'here=$(dirname "$0")/root/usr/lib',
    'export LD_LIBRARY_PATH="$(echo "$here"/*-linux-gnu*):$(echo "$here"/*-linux-gnu*/pulseaudio)"',
    'exec "$here/chromium/chromium" "$@"',
  ];
  await writeFile(start, `${lines.join("\n")}\n`);
  await chmod(start, 0o755);
}

/** Atomic: a complete build or none; the first of two wins. */
async function keep(draft: string): Promise<void> {
  try {
    await rename(draft, CACHE_DIR);
  } catch (error) {
    if (!existsSync(join(CACHE_DIR, "start"))) throw error;
  }
}

/** Runs `work` in one process at a time. The lock file holds the owner's pid; the lock of a dead owner is removed. */
async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await until(`${file} to be released`, MAX_LOCK_MS, async () => (await take(file)) || (await removeOrphan(file)));
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** The link appears with its content, and fails if the name exists. */
async function take(file: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, String(process.pid));
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Two processes may both remove the same stale lock, so the work must be idempotent. */
async function removeOrphan(file: string): Promise<false> {
  const pid = Number(await readFile(file, "utf8").catch(() => process.pid));
  if (!isRunning(pid)) await rm(file, { force: true });
  return false;
}
