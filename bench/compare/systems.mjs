import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const bench = join(import.meta.dirname, "..");
const peers = join(bench, "peers");

/** One file per system. Each exports `open({ sinkUrl, deliver, bench })`; what that gives is told in bench/README.md. */
const SYSTEMS = {
  millrace: { file: join(bench, "compare", "millrace.mjs"), leastNode: [20, 19] },
  "pg-boss": { file: join(peers, "pg-boss.mjs"), leastNode: [22, 12] },
  "graphile-worker": { file: join(peers, "graphile-worker.mjs"), leastNode: [22, 18] },
  bullmq: { file: join(peers, "bullmq.mjs"), leastNode: [20, 19], program: "redis-server" },
  restate: { file: join(peers, "restate.mjs"), leastNode: [22, 0] },
};

export const ALL_SYSTEMS = Object.keys(SYSTEMS);

export const fileOf = (name) => SYSTEMS[name].file;

/** Those of the named systems that can run here; of each other one a line tells why not. */
export function chooseSystems(names) {
  const unknown = names.filter((name) => !SYSTEMS[name]);
  if (unknown.length > 0) throw new Error(`there is no system ${unknown.join(", ")}: ${ALL_SYSTEMS.join(", ")}`);
  if (names.some((name) => SYSTEMS[name].file.startsWith(peers))) installPeers();
  return names.filter((name) => {
    const reason = reasonToSkip(SYSTEMS[name]);
    if (reason) process.stderr.write(`${name} is skipped: ${reason}\n`);
    return !reason;
  });
}

/** The Node that runs a system: ours, or where ours is too old for it the one that comes with the peers. */
export function nodeFor(name) {
  return isAtLeast(SYSTEMS[name].leastNode) ? process.execPath : packagedNode();
}

/** Peers are no part of Millrace's own install. */
function installPeers() {
  if (existsSync(join(peers, "node_modules", ".package-lock.json"))) return;
  process.stderr.write("Installing the peers (once)…\n");
  const args = ["ci", "--ignore-scripts", "--loglevel=error"];
  const { status } = spawnSync("npm", args, { cwd: peers, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("the peers could not be installed: run `npm ci` in bench/peers to see why");
}

function reasonToSkip({ leastNode, program }) {
  if (program && !isOnPath(program)) return `${program} is not on the PATH (Debian: apt-get install ${program})`;
  if (isAtLeast(leastNode) || packagedNode()) return undefined;
  return `it needs Node ${leastNode.join(".")}, this is ${process.version}`;
}

function isOnPath(program) {
  return process.env.PATH.split(":").some((folder) => existsSync(join(folder, program)));
}

function isAtLeast([leastMajor, leastMinor]) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function packagedNode() {
  try {
    return createRequire(join(peers, "package.json")).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}
