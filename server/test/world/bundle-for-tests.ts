import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isRunning } from "../../src/platform/embedded-postgres/running-process.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const SOURCES = ["contract/src", "sdk/src", "cli/src", "server/src"];

/**
 * Bundles a source file once for all workers of a test run and returns the path of the bundle. It is separate from the
 * usual build, so that neither an edit nor another run changes a program in the middle of a test.
 */
export async function bundleForTests(entry: string, outfile: string, options?: object): Promise<string> {
  // All workers of a run are children of one process.
  const file = join(ROOT, dirname(outfile), `for-tests-${process.ppid}-${basename(outfile)}`);
  const startedAt = new Date();
  if (isFresh(file)) return file;
  const { bundle } = await import(pathToFileURL(join(ROOT, "tools", "build-server.mjs")).href);
  mkdirSync(dirname(file), { recursive: true });
  await bundle(join(ROOT, entry), file, options);
  utimesSync(file, startedAt, startedAt); // files edited during the build are newer
  removeOld(dirname(file));
  return file;
}

function isFresh(file: string): boolean {
  const builtAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return builtAt > 0 && SOURCES.every((folder) => newestIn(join(ROOT, folder)) < builtAt);
}

function newestIn(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return Math.max(...entries.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs));
}

/** Removes bundles of runs that have ended. */
function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^for-tests-(\d+)/.exec(name)?.[1] ?? process.pid);
    if (!isRunning(pid)) rmSync(join(folder, name), { force: true });
  }
}
