import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { fail, root } from "./ensure-installed.mjs";

const dist = join(root, "docs", "dist");

/** Inputs of the build: a change to any of them makes it stale. */
const SOURCES = [
  "docs",
  "openapi.json",
  "package.json",
  "server/docs",
  "server/home/logo.svg",
  "tools/docs",
  "tools/build-docs.mjs",
];

/**
 * Builds the documentation into docs/dist if it is missing or older than its sources. Returns the folder. Uses a child
 * process, so that the service does not keep the renderer's memory.
 */
export async function buildDocs() {
  if (isFresh()) return dist;
  const builder = spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: ["ignore", 2, 2] });
  const [code] = await once(builder, "exit");
  if (code !== 0) throw new Error("The documentation could not be built");
  return dist;
}

// `npm run docs`; with `-- --out site --base /` as a site of its own, for any web server.
async function build() {
  const { values } = parseArgs({ options: { out: { type: "string" }, base: { type: "string", default: "/docs/" } } });
  const { writeSite } = await import("./docs/write-site.mjs");
  try {
    if (values.out) return report(writeSite({ root, out: resolve(values.out), base: values.base, isStandalone: true }));
    mkdirSync(join(root, "dist"), { recursive: true });
    const draft = mkdtempSync(join(root, "dist", ".docs-")); // on the same disk, and not part of the repository
    chmodSync(draft, 0o755); // the user that serves it may differ from the one that builds it
    const pages = writeSite({ root, out: draft });
    putInPlace(draft);
    report(pages);
  } catch (error) {
    fail(error.message);
  }
}

function report(pages) {
  process.stderr.write(`✓ ${pages.length} pages of documentation\n`);
}

function isFresh() {
  const page = join(dist, "index.html");
  if (!existsSync(page)) return false;
  const builtAt = statSync(page).mtimeMs;
  return SOURCES.every((source) => newestIn(join(root, source)) < builtAt);
}

/** Ignores the build itself and its drafts. */
function newestIn(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  const names = readdirSync(path).filter((name) => name !== "dist" && name !== "node_modules");
  return Math.max(0, ...names.map((name) => newestIn(join(path, name))));
}

/** A running service serves the old build or the new one, never a partial one. */
function putInPlace(draft) {
  const old = `${dist}.old-${process.pid}`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(draft, dist);
  rmSync(old, { recursive: true, force: true });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await build();
