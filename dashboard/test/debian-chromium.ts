import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const KEPT = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "millrace-tests", "chromium");

/**
 * Debian's Chromium beside the system, not in it: the packages that this machine lacks, fetched by apt and unpacked into
 * the user's cache, once. Needs no root and changes nothing that was installed. About 120 MB and ten seconds.
 */
export async function debianChromium(): Promise<string> {
  const started = join(KEPT, "start");
  if (existsSync(started)) return started;
  await mkdir(dirname(KEPT), { recursive: true });
  const made = await mkdtemp(`${KEPT}-`);
  try {
    await unpackInto(made);
    await keep(made);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `No Chromium for these tests: name one in PLAYWRIGHT_CHROMIUM_PATH. Debian's could not be had: ${why}`,
    );
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return started;
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

/** Its libraries lie beside it, where the system does not look. */
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

/** Two workers may fetch at the same moment: the first to be done is kept. */
async function keep(made: string): Promise<void> {
  try {
    await rename(made, KEPT);
  } catch (error) {
    if (!existsSync(join(KEPT, "start"))) throw error;
  }
}
