import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { root } from "./ensure-installed.mjs";

const folder = join(root, "dashboard");
const dist = join(folder, "dist");

/** Inputs of the build: a change to any of them makes it stale. */
const SOURCES = [
  join(folder, "src"),
  join(folder, "index.html"),
  join(folder, "vite.config.ts"),
  join(folder, "package.json"),
  join(root, "contract", "src"),
  join(root, "tools", "build-dashboard.mjs"),
];

/**
 * Builds the dashboard into dashboard/dist if it is missing or older than its sources. Returns the folder. Uses a
 * child process, because the bundler leaves half a gigabyte of memory behind, which the service would keep.
 */
export async function buildDashboard() {
  if (isFresh()) return dist;
  // In tests it is "test", which would build React for development: twice the size, and slow.
  const env = { ...process.env, NODE_ENV: "production" };
  const builder = spawn(process.execPath, [fileURLToPath(import.meta.url)], { env, stdio: ["ignore", 2, 2] });
  const [code] = await once(builder, "exit");
  if (code !== 0) throw new Error("The dashboard could not be built");
  return dist;
}

async function build() {
  const vite = await import(pathToFileURL(join(root, "node_modules", "vite", "dist", "node", "index.js")).href);
  const draft = newDraft();
  try {
    await vite.build({ root: folder, logLevel: "error", build: { outDir: draft, emptyOutDir: true } });
    chmodSync(draft, 0o755); // the user that serves it may differ from the one that builds it
    putInPlace(draft);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Next to the packages: on the same disk, and not part of the repository. */
function newDraft() {
  const packages = join(folder, "node_modules");
  mkdirSync(packages, { recursive: true });
  return mkdtempSync(join(packages, ".dist-"));
}

function isFresh() {
  const page = join(dist, "index.html");
  if (!existsSync(page)) return false;
  const builtAt = statSync(page).mtimeMs;
  return SOURCES.every((source) => newestIn(source) < builtAt);
}

function newestIn(path) {
  const { mtimeMs, isFolder } = look(path);
  if (!isFolder) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

function look(path) {
  const found = statSync(path);
  return { mtimeMs: found.mtimeMs, isFolder: found.isDirectory() };
}

/**
 * A running service serves the old build or the new one, never a partial one. If several processes build at once, the
 * first one installs its build and the others keep it.
 */
function putInPlace(draft) {
  if (isFresh()) return;
  const old = `${dist}.old-${process.pid}`;
  try {
    renameSync(dist, old);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  try {
    renameSync(draft, dist);
  } catch (error) {
    if (!isFresh()) throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
