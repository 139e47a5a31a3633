import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPeers, peers } from "../install-peers.mjs";

const bench = join(import.meta.dirname, "..");

/**
 * A system is measured as a queue or as a workflow engine. Each has a file that exports `open({ sinkUrl, deliver,
 * bench })`; bench/README.md describes its result.
 */
const SYSTEMS = {
  millrace: {
    queue: join(bench, "compare", "millrace.mjs"),
    workflows: join(bench, "compare", "millrace-workflows.mjs"),
  },
  "millrace-pull": { queue: join(bench, "compare", "millrace-pull.mjs") },
  "millrace-limited": { queue: join(bench, "compare", "millrace-limited.mjs") },
  "millrace-three": { queue: join(bench, "compare", "millrace-three.mjs") },
  "millrace-three-limited": { queue: join(bench, "compare", "millrace-three-limited.mjs") },
  "millrace-projects": { queue: join(bench, "compare", "millrace-projects.mjs") },
  "bare-http": { queue: join(bench, "compare", "bare-http.mjs") },
  "pg-boss": { queue: join(peers, "pg-boss.mjs") },
  "graphile-worker": { queue: join(peers, "graphile-worker.mjs") },
  bullmq: { queue: join(peers, "bullmq.mjs"), program: "redis-server" },
  "bullmq-http": { queue: join(peers, "bullmq-http.mjs"), program: "redis-server", package: "fastify" },
  restate: {
    queue: join(peers, "restate.mjs"),
    workflows: join(peers, "restate-workflows.mjs"),
  },
  dbos: { workflows: join(peers, "dbos-workflows.mjs"), package: "@dbos-inc/dbos-sdk" },
};

export const ALL_SYSTEMS = Object.keys(SYSTEMS);

/**
 * The default systems: without the variants of Millrace, and without the bare server, which is not a queue and only
 * supports `through` and `enqueue`.
 */
export const USUAL_SYSTEMS = ALL_SYSTEMS.filter((name) => name !== "bare-http" && !name.startsWith("millrace-"));

export const fileOf = (name, as) => SYSTEMS[name][as];

/** The given systems that support this and can run here. Prints why a system is skipped. */
export function chooseSystems(names, as) {
  const unknown = names.filter((name) => !SYSTEMS[name]);
  if (unknown.length > 0) throw new Error(`unknown system ${unknown.join(", ")}: use ${ALL_SYSTEMS.join(", ")}`);
  const able = names.filter((name) => SYSTEMS[name][as]);
  if (able.some((name) => SYSTEMS[name][as].startsWith(peers))) installPeers();
  return able.filter((name) => {
    const reason = reasonToSkip(SYSTEMS[name]);
    if (reason) process.stderr.write(`${name} skipped: ${reason}\n`);
    return !reason;
  });
}

function reasonToSkip({ program, package: name }) {
  if (name && !existsSync(join(peers, "node_modules", name))) return `${name} is not installed in bench/peers`;
  if (program && !isOnPath(program)) return `${program} is not on the PATH (Debian: apt-get install ${program})`;
  return undefined;
}

function isOnPath(program) {
  return process.env.PATH.split(":").some((folder) => existsSync(join(folder, program)));
}
