import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { openPost } from "../compare/post.mjs";
import { startSink } from "../compare/start-sink.mjs";
import { connectionTo, newDataDir, startMillrace } from "../start-millrace.mjs";

// A map over many items, each a run of the job that is dispatched over HTTP and completed. The result is whether ten
// times the items take ten times as long: ending one item must not cost work for all. Compared with as many runs of
// the same job without a workflow.
const MAX_RATIO = 12;
const JOB = "deliver-order";
const options = readOptions();
const dataDir = newDataDir();
const sink = await startSink();
const millrace = await startMillrace({ dataDir });
const api = openPost(millrace.url, { connections: 32, headers: millrace.headers });
const client = new pg.Client(connectionTo(dataDir));
await client.connect();

try {
  await create();
  await map(options.few); // warm-up
  const rounds = [];
  for (let round = 0; round < options.rounds; round++) {
    rounds.push({ few: await map(options.few), many: await map(options.many), runs: await runs(options.many) });
    process.stdout.write(`${JSON.stringify({ bench: "map", round, ...rounds.at(-1) })}\n`);
  }
  report(rounds);
} finally {
  await api.close();
  await client.end();
  await millrace.stop();
  sink.stop();
}
process.exit();

async function create() {
  await send("/v1/jobs", { name: "Deliver order", slug: JOB, endpoint_url: sink.url });
  const payload = { order_id: "{{item.order_id}}", customer: "{{payload.customer}}" };
  const step = { step_ref: "m", type: "map", items: "{{payload.orders}}", job_id: JOB, payload };
  const steps = [{ ...step, max_parallel: options.parallel }];
  await send("/v1/workflows", { name: "Bench map", slug: "map", steps });
}

/** Seconds from the trigger until the step has completed with all outputs. */
async function map(n) {
  sink.expect(n);
  const orders = Array.from({ length: n }, (_, order_id) => ({ order_id, sku: `sku-${order_id}` }));
  const startedAt = performance.now();
  await send("/v1/workflows/map/trigger", { payload: { orders, customer: "ann" } });
  await sink.untilReceived();
  await untilNone("select count(*)::int from workflow_runs where finished_at is null");
  const secs = (performance.now() - startedAt) / 1_000;
  const { duplicates } = await sink.report();
  const { rows } = await client.query("select output from step_runs order by created_at desc, id desc limit 1");
  if (duplicates > 0 || rows[0].output.length !== n) throw new Error("an item was run twice or is missing");
  return secs;
}

/** The same runs without a workflow, triggered 100 at a time. */
async function runs(n) {
  sink.expect(n);
  const startedAt = performance.now();
  for (let at = 0; at < n; at += 100) {
    const payloads = Array.from({ length: Math.min(100, n - at) }, (_, nth) => ({
      order_id: at + nth,
      customer: "ann",
    }));
    await send(`/v1/jobs/${JOB}/trigger/bulk`, { items: payloads.map((payload) => ({ payload })) });
  }
  await sink.untilReceived();
  await untilNone("select count(*)::int from run_queue");
  return (performance.now() - startedAt) / 1_000;
}

async function untilNone(statement) {
  for (;;) {
    const { rows } = await client.query(statement);
    if (rows[0].count === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function send(path, body) {
  return api.post(path, JSON.stringify(body));
}

function report(rounds) {
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  const [few, many, plain] = ["few", "many", "runs"].map((name) => median(rounds.map((round) => round[name])));
  const ratio = many / few;
  process.stdout.write(`
A map with max_parallel ${options.parallel}; medians of ${rounds.length} rounds.

|  | items | seconds | items/s |
|---|---|---|---|
| few | ${options.few} | ${few.toFixed(2)} | ${Math.round(options.few / few)} |
| many | ${options.many} | ${many.toFixed(2)} | ${Math.round(options.many / many)} |
| runs without a workflow | ${options.many} | ${plain.toFixed(2)} | ${Math.round(options.many / plain)} |

${options.many} items take ${ratio.toFixed(1)} × the time of ${options.few} (target: at most ${MAX_RATIO}), and ${(many / plain).toFixed(2)} × the time of as many runs.
Node ${process.version}, ${availableParallelism()} cores, ${process.arch}.
`);
}

/** `--few` and `--many` items, `--parallel` of them at a time. */
function readOptions() {
  const number = (value) => ({ type: "string", default: String(value) });
  const { values } = parseArgs({
    options: { few: number(1_000), many: number(10_000), parallel: number(50), rounds: number(3) },
    allowPositionals: true,
  });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
}
