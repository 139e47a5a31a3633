import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const bench = join(import.meta.dirname, "..");
const peers = join(bench, "peers");

/**
 * What a system is measured as: a queue, or an engine of workflows. One file for each, which exports
 * `open({ sinkUrl, deliver, bench })`; what that gives is told in bench/README.md.
 */
const SYSTEMS = {
  millrace: {
    queue: join(bench, "compare", "millrace.mjs"),
    workflows: join(bench, "compare", "millrace-workflows.mjs"),
    leastNode: [20, 19],
  },
  "bare-http": { queue: join(bench, "compare", "bare-http.mjs"), leastNode: [20, 19] },
  "pg-boss": { queue: join(peers, "pg-boss.mjs"), leastNode: [22, 12] },
  "graphile-worker": { queue: join(peers, "graphile-worker.mjs"), leastNode: [22, 18] },
  bullmq: { queue: join(peers, "bullmq.mjs"), leastNode: [20, 19], program: "redis-server" },
  restate: {
    queue: join(peers, "restate.mjs"),
    workflows: join(peers, "restate-workflows.mjs"),
    leastNode: [22, 0],
  },
  dbos: { workflows: join(peers, "dbos-workflows.mjs"), leastNode: [20, 19], package: "@dbos-inc/dbos-sdk" },
};

export const ALL_SYSTEMS = Object.keys(SYSTEMS);

/** What is measured unless others are named. The bare server is no queue: only `through` and `enqueue` can be asked of it. */
export const USUAL_SYSTEMS = ALL_SYSTEMS.filter((name) => name !== "bare-http");

export const fileOf = (name, as) => SYSTEMS[name][as];

/** Those of the named systems that are such a thing and can run here; of one that cannot a line tells why not. */
export function chooseSystems(names, as) {
  const unknown = names.filter((name) => !SYSTEMS[name]);
  if (unknown.length > 0) throw new Error(`there is no system ${unknown.join(", ")}: ${ALL_SYSTEMS.join(", ")}`);
  const able = names.filter((name) => SYSTEMS[name][as]);
  if (able.some((name) => SYSTEMS[name][as].startsWith(peers))) installPeers();
  return able.filter((name) => {
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
  const installed = join(peers, "node_modules", ".package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(peers, "package-lock.json")).mtimeMs)
    return;
  process.stderr.write("Installing the peers (once)…\n");
  const args = ["ci", "--ignore-scripts", "--loglevel=error"];
  const { status } = spawnSync("npm", args, { cwd: peers, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("the peers could not be installed: run `npm ci` in bench/peers to see why");
}

function reasonToSkip({ leastNode, program, package: name }) {
  if (name && !existsSync(join(peers, "node_modules", name))) return `${name} is not installed in bench/peers`;
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
