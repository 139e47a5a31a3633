import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const LEAST_NODE = [20, 19];
const STALE_LOCK_MS = 15 * 60_000;

/** Brings node_modules in line with the lockfile. Nothing to do costs a few milliseconds. */
export async function ensureInstalled() {
  refuseOldNode();
  if (isInstalled()) return;
  const unlock = await lock();
  try {
    if (!isInstalled()) install();
  } finally {
    unlock();
  }
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  fail(`Millrace needs Node ${LEAST_NODE.join(".")} or newer; this is ${process.versions.node}.`);
}

/** npm leaves beside the packages a list of what it installed; it must hold all that the lockfile asks of this machine. */
function isInstalled() {
  const installedFile = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedFile)) return false;
  const installed = JSON.parse(readFileSync(installedFile, "utf8")).packages;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return Object.entries(wanted).every(([place, { version, link, optional }]) => {
    if (!place.startsWith("node_modules/") || link || optional) return true;
    return installed[place]?.version === version;
  });
}

function install() {
  process.stderr.write("Installing the dependencies of this version (once)…\n");
  const npm = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ["npm", []];
  const args = [...npm[1], "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync(npm[0], args, {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32" && npm[1].length === 0,
  });
  if (status !== 0) fail("The dependencies could not be installed. Run `npm ci` here to see why.");
}

/** `npm start` and `npm test` may be the first commands on a machine, both at once. */
async function lock() {
  const folder = join(root, ".installing");
  for (;;) {
    try {
      mkdirSync(folder);
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== "EEXIST") fail(`This folder cannot be written (${error.code}): ${root}`);
      if (Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > STALE_LOCK_MS) {
        rmSync(folder, { recursive: true, force: true });
      }
      await pause(200);
    }
  }
}

export function fail(message) {
  process.stderr.write(`\nmillrace: ${message}\n`);
  process.exit(1);
}
