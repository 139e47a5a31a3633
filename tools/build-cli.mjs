import { readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./build-server.mjs";
import { root } from "./ensure-installed.mjs";

const SOURCES = ["cli/src", "sdk/src", "contract/src", "tools/build-cli.mjs", "package-lock.json"];

/** Bundles the CLI with all its dependencies into one file, unless nothing has changed, so that commands start fast. */
export async function buildCli() {
  const outfile = join(root, "cli", "dist", "main.js");
  const began = new Date();
  if (isFresh(outfile)) return outfile;
  await bundle(join(root, "cli", "src", "main.ts"), outfile, CLI_BUNDLE);
  utimesSync(outfile, began, began); // files edited during the build are newer
  return outfile;
}

/** CommonJS packages need require() in the bundle too. Under another name, since modules may import the same one. */
const WITH_REQUIRE =
  'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';
/** Bundles everything, so that the file runs anywhere. */
export const CLI_BUNDLE = { banner: { js: WITH_REQUIRE } };

function isFresh(outfile) {
  const built = statSync(outfile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return SOURCES.every((source) => newestIn(join(root, source)) < built);
}

/** Includes folders: their modification time reveals deleted files. */
function newestIn(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}
