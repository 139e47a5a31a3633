import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { closedLoop } from "../compare/apply-load.mjs";
import { newOrder } from "../compare/order.mjs";
import { openPost } from "../compare/post.mjs";
import { startSink } from "../compare/start-sink.mjs";
import { untilIdle, warmUp } from "../compare/steps.mjs";
import { tableOf } from "../compare/table-of.mjs";
import { startCollector } from "./collector.mjs";
import { readThreads } from "./cpu-of-threads.mjs";

// This checkout and another one as services at once, which take turns with portions of the same work. Only CPU time and
// its differences within pairs mean something here; they do on a busy machine too. With `--traces`, both are this checkout,
// and the second one also sends every span to a drain; both are then measured until the changelog is consumed, as the
// last spans arrive no earlier.
const CLIENTS = 32;
const STEPS = 3;
/** A thousand projects are slower; each other bench has the usual one. */
const WARM_UP = { projects: 3_000 };
const LAG_MS = 3_000;
const FILES = {
  steps: "millrace-workflows.mjs",
  projects: "millrace-projects.mjs",
  pull: "millrace-pull.mjs",
  "pull-drain": "millrace-pull.mjs",
};
const DRAINS = new Set(["drain", "pull-drain"]);
/** `driver`: this process, which is the load generator and the worker of both. */
const MEASURES = ["main", "service", "postgres", "driver"];
const here = resolve(import.meta.dirname, "../..");

const { values } = parseArgs({
  options: {
    base: { type: "string" },
    traces: { type: "boolean", default: false },
    only: { type: "string", default: "through" },
    n: { type: "string" },
    pairs: { type: "string", default: "8" },
  },
  allowPositionals: true,
});
if (!values.base && !values.traces) throw new Error("--base=<folder of another checkout>, or --traces");

const bench = values.only;
const PORTIONS = { through: 3_000, projects: 2_000, drain: 5_000, steps: 500, pull: 3_000, "pull-drain": 5_000 };
const n = Number(values.n ?? PORTIONS[bench]);
const versions = {
  base: await open(resolve(values.base ?? here)),
  this: await open(here, { collector: values.traces ? await startCollector() : undefined }),
};
for (const version of Object.values(versions)) await version.warmUp();

const pairs = [];
while (pairs.length < Number(values.pairs)) {
  const pair = {};
  const order = pairs.length % 2 === 0 ? ["base", "this"] : ["this", "base"];
  for (const name of order) pair[name] = await measure(versions[name]);
  pairs.push(pair);
  process.stdout.write(`${JSON.stringify(pair)}\n`);
}
process.stdout.write(`\n${bench}, ${n} per portion, CPU in µs each\n\n${tableOf(rows())}\n`);
await Promise.all(Object.values(versions).map(({ close }) => close()));
process.exit();

async function open(checkout, { collector } = {}) {
  const sink = await startSink();
  const delivery = openPost(sink.url, { connections: 100 });
  const deliver = (order) => delivery.post("/", JSON.stringify(order));
  const file = FILES[bench] ?? "millrace.mjs";
  const system = await (await import(join(checkout, "bench/compare", file))).open({
    sinkUrl: sink.url,
    deliver,
    bench,
  });
  const { service, postgres } = system.pids;
  const work = bench === "steps" ? startWorkflows : startEach;
  if (bench !== "steps") await system.startWork();
  await collector?.createDrain(system);
  return {
    close: async () => {
      await system.close();
      collector?.close();
    },
    read: () => ({ ...readThreads({ service, postgres }), driver: driverUs() }),
    warmUp: () => (bench === "steps" ? startWorkflows({ system, sink }, 1_500) : warmUp(system, sink, WARM_UP[bench])),
    prepare: async () => {
      if (DRAINS.has(bench)) await fill({ system, sink });
      await collector?.expectRoots(n);
    },
    work: async () => {
      await (DRAINS.has(bench) ? drain({ system, sink }) : work({ system, sink }, n));
      if (values.traces) await pause(LAG_MS);
      await collector?.untilReceived();
    },
  };
}

function driverUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function startEach({ system, sink }, count) {
  sink.expect(count);
  await Promise.all([closedLoop(count, CLIENTS, (nth) => system.enqueue(newOrder(nth))), sink.untilReceived()]);
  await untilIdle(system);
}

async function fill({ system, sink }) {
  await system.stopWork();
  sink.expect(n);
  await system.fill(n);
}

async function drain({ system, sink }) {
  await system.startWork();
  await sink.untilReceived();
  await untilIdle(system);
}

async function startWorkflows({ system, sink }, count) {
  sink.expect(count, STEPS);
  await Promise.all([closedLoop(count, CLIENTS, (nth) => system.startSteps(newOrder(nth))), sink.untilReceived()]);
  await untilIdle(system);
}

async function measure(version) {
  await version.prepare();
  const before = version.read();
  const startedAt = performance.now();
  await version.work();
  const secs = (performance.now() - startedAt) / 1_000;
  const after = version.read();
  return Object.fromEntries([
    ...MEASURES.map((name) => [name, Math.round((after[name] - before[name]) / n)]),
    ["rate", Math.round(n / secs)],
  ]);
}

function rows() {
  return [
    ["CPU of", "base, median", "this, median", "difference", "standard error"],
    ...MEASURES.map((name) => {
      const differences = pairs.map((pair) => pair.this[name] - pair.base[name]).sort((a, b) => a - b);
      const trimmed = differences.length > 5 ? differences.slice(1, -1) : differences;
      const mean = trimmed.reduce((all, each) => all + each, 0) / trimmed.length;
      const variance = trimmed.reduce((all, each) => all + (each - mean) ** 2, 0) / Math.max(1, trimmed.length - 1);
      const error = Math.sqrt(variance / trimmed.length);
      return [name, median("base", name), median("this", name), mean.toFixed(1), error.toFixed(1)];
    }),
  ];
}

function median(version, name) {
  const sorted = pairs.map((pair) => pair[version][name]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
