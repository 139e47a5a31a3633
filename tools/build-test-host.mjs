import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./build-server.mjs";
import { root } from "./ensure-installed.mjs";

const OUTFILE = join(root, "server", "dist", "testing-host.js");
const SOURCES = ["contract/src", "server/src", "sdk/src/testing/host"];

/** Bundles the thread that `createTestServer()` starts, if its sources are newer than the last bundle. */
export async function buildTestHost() {
  const newest = Math.max(...SOURCES.map((folder) => newestIn(join(root, folder))));
  const built = statSync(OUTFILE, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built < newest) await bundle(join(root, "sdk", "src", "testing", "host", "main.ts"), OUTFILE);
  return OUTFILE;
}

function newestIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const times = entries.map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newestIn(path) : statSync(path).mtimeMs;
  });
  return Math.max(0, ...times);
}
