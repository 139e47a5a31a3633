import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const MIN_NODE = [20, 19];

/** Updates node_modules to match the lockfile. Takes a few milliseconds if there is nothing to do. */
export async function ensureInstalled() {
  refuseOldNode();
  if (isInstalled()) return;
  const unlock = await lock();
  process.once("exit", unlock); // exits on failure
  if (!isInstalled()) install();
  unlock();
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [minMajor, minMinor] = MIN_NODE;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  fail(`Millrace needs Node ${MIN_NODE.join(".")} or newer; this is ${process.versions.node}.`);
}

/** npm stores a list of installed packages; it must contain everything that the lockfile requires on this machine. */
function isInstalled() {
  const installed = packagesOf(join(root, "node_modules", ".package-lock.json"));
  const wanted = packagesOf(join(root, "package-lock.json"));
  if (!wanted) fail(`package-lock.json is missing or broken in ${root}. Restore it: git checkout package-lock.json`);
  if (!installed) return false;
  return Object.entries(wanted).every(([place, { version, link, optional }]) => {
    if (!place.startsWith("node_modules/") || link || optional) return true;
    return installed[place]?.version === version && existsSync(join(root, place, "package.json"));
  });
}

/** Undefined if the list is missing, or npm was killed while writing it. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

function install() {
  process.stderr.write("Installing dependencies (once per version)…\n");
  const { cache, remove } = npmCache();
  const { status, stderr } = runNpmCi(cache);
  remove();
  if (status === 0) return;
  fail(`The dependencies could not be installed. Run \`npm ci\` here to see why.\n${stderr ?? ""}`.trimEnd());
}

function runNpmCi(cache) {
  const npm = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ["npm", []];
  const args = [...npm[1], "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  return spawnSync(npm[0], args, {
    cwd: root,
    env: { ...process.env, ...cache },
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    shell: process.platform === "win32" && npm[1].length === 0,
  });
}

/** npm keeps its cache in the home folder; a user without one gets a temporary cache. */
function npmCache() {
  try {
    const folder = process.env.npm_config_cache ?? join(homedir(), ".npm");
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return { cache: {}, remove: () => {} };
  } catch {
    const folder = mkdtempSync(join(tmpdir(), "millrace-npm-"));
    return { cache: { npm_config_cache: folder }, remove: () => rmSync(folder, { recursive: true, force: true }) };
  }
}

/**
 * `npm start` and `npm test` may both be the first command on a machine. The file contains the pid of the one that
 * installs.
 */
async function lock() {
  const file = join(root, ".installing");
  let isReported = false;
  while (!create(file)) {
    const pid = Number(readOrNothing(file));
    if (pid > 0 && isRunning(pid)) {
      if (!isReported)
        process.stderr.write(`Another command (pid ${pid}) is installing the dependencies; waiting for it…\n`);
      isReported = true;
    } else {
      removeStale(file, pid);
    }
    await pause(100);
  }
  return () => {
    if (Number(readOrNothing(file)) === process.pid) rmSync(file, { force: true });
  };
}

/** Creates the file with its content atomically, and fails if it exists. */
function create(file) {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, String(process.pid));
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST")
      fail(`The dependencies must be installed, but this folder cannot be written (${error.code}): ${root}`);
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** If two commands find a dead command's lock, the slower one must not remove the lock of the faster one. */
function removeStale(file, deadPid) {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
    if (Number(readOrNothing(aside)) !== deadPid) linkSync(aside, file);
  } catch {
    // Another command was faster.
  } finally {
    rmSync(aside, { force: true });
  }
}

function readOrNothing(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

export function fail(message) {
  process.stderr.write(`\nmillrace: ${message}\n`);
  process.exit(1);
}
