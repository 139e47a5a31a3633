import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const peers = join(import.meta.dirname, "peers");

/** Required by pg-boss, graphile-worker and the Restate SDK; Node 20 is about a third slower. */
const MIN_NODE = 22;

/**
 * The Node version for all processes of a benchmark: ours, or the one that comes with the peers if ours is too old,
 * so that no system has an advantage.
 */
export function chooseNode() {
  if (Number.parseInt(process.versions.node, 10) >= MIN_NODE) return process.execPath;
  installPeers();
  const packaged = `node-${process.platform}-${process.arch}/bin/node`;
  try {
    return createRequire(join(peers, "package.json")).resolve(packaged);
  } catch {
    throw new Error(`benchmarks need Node ${MIN_NODE}; this is ${process.version}, and the peers include none for it`);
  }
}

/** Peers are not part of Millrace's own installation. */
export function installPeers() {
  const installed = join(peers, "node_modules", ".package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(peers, "package-lock.json")).mtimeMs)
    return;
  process.stderr.write("Installing the peers (once)…\n");
  const args = ["ci", "--ignore-scripts", "--loglevel=error"];
  const { status } = spawnSync("npm", args, { cwd: peers, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("the peers could not be installed: run `npm ci` in bench/peers to see why");
}
