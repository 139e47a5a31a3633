import { fork } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { newDataDir, startMillrace } from "../start-millrace.mjs";

// The cost of the API layer: an authenticated GET of one project compared with a bare Fastify route that makes the
// same query on the same database, interleaved. The ratio is the result; absolute figures depend on the machine.
const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 32;
const MIN_RATIO = 0.6;

const dataDir = newDataDir();
const millrace = await startMillrace({ dataDir });
const bare = await startBare(dataDir);
const project = await fetch(`${millrace.url}/v1/projects/main`, { headers: millrace.headers }).then((r) => r.json());

try {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const bareRate = await rate(`${bare.url}/v1/projects/${project.id}`, {});
    const millraceRate = await rate(`${millrace.url}/v1/projects/${project.id}`, millrace.headers);
    if (round > 0) rounds.push({ bareRate, millraceRate, ratio: millraceRate / bareRate }); // the first round is the warm-up
  }
  report(rounds);
} finally {
  bare.stop();
  await millrace.stop();
}

async function rate(url, headers) {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} failed responses, ${result.errors} errors`);
  return result.requests.average;
}

function report(rounds) {
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  const of = (field) => rounds.map((round) => round[field]);
  const ratios = of("ratio");
  const line = {
    bench: "edge",
    bare_per_s: Math.round(median(of("bareRate"))),
    millrace_per_s: Math.round(median(of("millraceRate"))),
    ratio: Number(median(ratios).toFixed(3)),
    ratio_spread: [Math.min(...ratios), Math.max(...ratios)].map((ratio) => Number(ratio.toFixed(3))),
    target: MIN_RATIO,
    rounds: ROUNDS,
    connections: CONNECTIONS,
    node: process.version,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function startBare(dataDir) {
  const child = fork(join(dirname(fileURLToPath(import.meta.url)), "bare-fastify.mjs"), [dataDir]);
  return new Promise((resolve, reject) => {
    child.once("message", (url) => resolve({ url, stop: () => child.kill() }));
    child.once("exit", (code) => reject(new Error(`the bare server exited with ${code}`)));
  });
}
