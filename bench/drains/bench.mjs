import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { dirWithStatementStats } from "../census/dir-with-statement-stats.mjs";
import { startSink } from "../compare/start-sink.mjs";
import { warmUp } from "../compare/steps.mjs";
import { connectionTo } from "../start-millrace.mjs";
import { startCollector } from "../versions/collector.mjs";
import { mapOf, openMeter, round } from "./open-meter.mjs";

// What drains of traces and metrics cost by themselves: each run of a backlog that `through` left, each request of
// metrics, and a second in which nothing happens. All in CPU time, less that of as many seconds without a drain.
const { values } = parseArgs({
  options: {
    base: { type: "string" },
    n: { type: "string", default: "10000" },
    rounds: { type: "string", default: "9" },
    idle: { type: "string", default: "20" },
    list: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const [n, rounds, idleSecs] = [values.n, values.rounds, values.idle].map(Number);
const listed = values.list ? 10 : 0;
const LAG_MS = 10_000;
const METRICS_REQUESTS = 20;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

const checkout = values.base ? resolve(values.base) : resolve(import.meta.dirname, "../..");
const { open } = await import(join(checkout, "bench/compare/millrace.mjs"));
const dataDir = await dirWithStatementStats();
const sink = await startSink();
const system = await open({ sinkUrl: sink.url, dataDir });
const client = new pg.Client(connectionTo(dataDir));
await client.connect();
await client.query("create extension if not exists pg_stat_statements");
const collector = await startCollector();
const measure = openMeter({ pids: system.pids, client });
await system.startWork();
await warmUp(system, sink, n);
await pause(LAG_MS); // consumers of the changelog

const idle = await measureIdle("no drain");
await collector.createDrain(system);
await measureIdle("a drain of traces", idle);
const backlogs = [];
while (backlogs.length < rounds) backlogs.push(await measureBacklog());
print({ traces_us_per_run_median: mapOf(idle, (_, name) => median(backlogs.map((each) => each[name]))) });
await client.query("update log_drains set enabled = false");
await collector.createDrain(system, "metrics");
await measureMetrics();
await measureIdle("a drain of metrics", idle);
await system.close();
process.exit();

/** CPU in microseconds per second. */
async function measureIdle(title, without) {
  const { cpu, secs, statements } = await measure(() => pause(idleSecs * 1_000));
  const perSec = mapOf(cpu, (us) => Math.round(us / secs));
  const calls = statements.reduce((sum, each) => sum + each.calls, 0);
  const more = without && mapOf(perSec, (us, name) => us - without[name]);
  print({ idle: title, us_per_sec: perSec, more, statements_per_sec: round(calls / secs) });
  return perSec;
}

async function measureBacklog() {
  const before = collector.received();
  await collector.expectRoots(n);
  const used = await measure(async () => {
    await sendAgain("traces");
    await collector.untilReceived();
  });
  const { bytes, requests } = collector.received();
  const us_per_run = perOne(used, n);
  const sent = { requests: requests - before.requests, bytes_per_run: Math.round((bytes - before.bytes) / n) };
  print({ backlog: n, us_per_run, secs: round(used.secs), ...sent });
  for (const { calls, rows, us, text } of used.statements.slice(0, listed))
    process.stdout.write(`  ${calls} calls, ${rows} rows, ${round(us / n)} µs per run: ${text.slice(0, 110)}\n`);
  return us_per_run;
}

async function measureMetrics() {
  const used = await measure(async () => {
    for (let nth = 0; nth < METRICS_REQUESTS; nth++) {
      const { requests } = collector.received();
      await sendAgain("metrics");
      while (collector.received().requests === requests) await pause(20);
    }
  });
  print({ metrics_requests: METRICS_REQUESTS, us_per_request: perOne(used, METRICS_REQUESTS), secs: round(used.secs) });
}

function sendAgain(signal) {
  return client.query("update log_drains set position = 0, after_id = $1, next_attempt_at = now() where signal = $2", [
    FIRST_ID,
    signal,
  ]);
}

function perOne({ cpu, secs }, count) {
  return mapOf(cpu, (us, name) => round((us - idle[name] * secs) / count));
}

function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
