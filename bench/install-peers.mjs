import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const peers = join(import.meta.dirname, "peers");

/** pg-boss, graphile-worker and the SDK of Restate need it; all of Node 20's code is a third slower than on it. */
const LEAST_NODE = 22;

/**
 * The Node on which everything of a benchmark runs, whatever is measured: ours, or where ours is too old the one that
 * comes with the peers. So nobody is ahead for his Node.
 */
export function chooseNode() {
  if (Number.parseInt(process.versions.node, 10) >= LEAST_NODE) return process.execPath;
  installPeers();
  const packaged = `node-${process.platform}-${process.arch}/bin/node`;
  try {
    return createRequire(join(peers, "package.json")).resolve(packaged);
  } catch {
    throw new Error(`benchmarks need Node ${LEAST_NODE}; this is ${process.version}, and the peers bring none for it`);
  }
}

/** Peers are no part of Millrace's own install. */
export function installPeers() {
  const installed = join(peers, "node_modules", ".package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(peers, "package-lock.json")).mtimeMs)
    return;
  process.stderr.write("Installing the peers (once)…\n");
  const args = ["ci", "--ignore-scripts", "--loglevel=error"];
  const { status } = spawnSync("npm", args, { cwd: peers, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("the peers could not be installed: run `npm ci` in bench/peers to see why");
}
