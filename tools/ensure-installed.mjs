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

const LEAST_NODE = [20, 19];

/** Brings node_modules in line with the lockfile. Nothing to do costs a few milliseconds. */
export async function ensureInstalled() {
  refuseOldNode();
  if (isInstalled()) return;
  const unlock = await lock();
  process.once("exit", unlock); // a failure exits
  if (!isInstalled()) install();
  unlock();
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  fail(`Millrace needs Node ${LEAST_NODE.join(".")} or newer; this is ${process.versions.node}.`);
}

/** npm leaves beside the packages a list of what it installed; it must hold all that the lockfile asks of this machine. */
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

/** Undefined when the list is missing, or was being written when npm was killed. */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

function install() {
  process.stderr.write("Installing the dependencies of this version (once)…\n");
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

/** npm keeps its cache at home; a user without one gets a cache for this once. */
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

/** `npm start` and `npm test` may be the first commands on a machine, both at once. The file holds the pid of one. */
async function lock() {
  const file = join(root, ".installing");
  let told = false;
  while (!create(file)) {
    const pid = Number(readOrNothing(file));
    if (pid > 0 && isRunning(pid)) {
      if (!told) process.stderr.write(`Another command (pid ${pid}) is installing the dependencies; waiting for it…\n`);
      told = true;
    } else {
      takeAway(file, pid);
    }
    await pause(100);
  }
  return () => {
    if (Number(readOrNothing(file)) === process.pid) rmSync(file, { force: true });
  };
}

/** Appears with its content or not at all, and fails when the name is taken. */
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

/** Of two that find a dead command's lock, the slower must not take away the lock of the quicker. */
function takeAway(file, deadPid) {
  const aside = `${file}.${process.pid}.dead`;
  try {
    renameSync(file, aside);
    if (Number(readOrNothing(aside)) !== deadPid) linkSync(aside, file);
  } catch {
    // Somebody else was quicker.
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
