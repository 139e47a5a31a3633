import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { closedLoop } from "../compare/apply-load.mjs";
import { newOrder, newOrders } from "../compare/order.mjs";
import { openPost } from "../compare/post.mjs";
import { settleDatabase } from "../compare/settle-database.mjs";
import { startSink } from "../compare/start-sink.mjs";
import { connectionTo, newDataDir, startMillrace } from "../start-millrace.mjs";
import { measureDispatch } from "./measure-dispatch.mjs";

// Measures how canceling 100,000 runs by filter affects other runs. Runs are triggered at a steady rate and timed
// from just before the call until the endpoint receives the request: first alone, then during the batch operation.
const options = readOptions();
const BULK = 100;
const WARM_UP = 1_000;
const MAX_RATIO = 2;

const sink = await startSink();
const dataDir = newDataDir();
const millrace = await startMillrace({ dataDir });
const api = openPost(millrace.url, { connections: 64, headers: millrace.headers });
const client = new pg.Client(connectionTo(dataDir));
await client.connect();

try {
  await send("/v1/jobs", { name: "Steady", slug: "steady", endpoint_url: sink.url });
  await send("/v1/jobs", { name: "Held", slug: "held", endpoint_url: sink.url });
  await send("/v1/jobs/held/pause", {});
  await fill();
  const enqueue = (payload) => send("/v1/jobs/steady/trigger", { payload });
  const load = { sink, rate: options.rate, enqueue, describeRuns };
  await warmUp(load);
  const alone = await measureDispatch(load, untilPassed(options.secs));
  const { during, ...batch } = await cancelAll(load);
  report(alone, during, batch);
} finally {
  await api.close();
  await client.end();
  await millrace.stop();
  sink.stop();
}
process.exit();

function readOptions() {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      n: { type: "string", default: "100000" },
      rate: { type: "string", default: "50" },
      secs: { type: "string", default: "20" },
    },
  });
  return { n: Number(values.n), rate: Number(values.rate), secs: Number(values.secs) };
}

function send(path, body) {
  return api.post(path, JSON.stringify(body));
}

/** Creates the runs to cancel: pending runs of a paused job. */
async function fill() {
  await closedLoop(Math.ceil(options.n / BULK), 4, (index) => {
    const orders = newOrders(index * BULK, Math.min(options.n, (index + 1) * BULK));
    return send("/v1/jobs/held/trigger/bulk", { items: orders.map((payload) => ({ payload })) });
  });
  await settleDatabase(client);
}

/** Waits until every run has arrived, since a late one would be mistaken for a measured order with the same number. */
async function warmUp({ enqueue }) {
  sink.expect(WARM_UP);
  await closedLoop(WARM_UP, 16, (index) => enqueue(newOrder(index)));
  await sink.untilReceived();
}

/** Describes the state of the runs in the service, for runs that did not arrive. */
async function describeRuns() {
  const { rows } = await client.query(
    `select r.status, q.blocked_on, count(*)::int from runs r join jobs j on j.project_id = r.project_id and j.id = r.job_id
     left join run_queue q on q.project_id = r.project_id and q.run_id = r.id
     where j.slug = 'steady' group by 1, 2`,
  );
  return JSON.stringify(rows);
}

async function cancelAll(load) {
  const startedAt = performance.now();
  const { id, total } = await ask("POST", "/v1/runs/bulk-cancel-all", { filter: { job_id: "held" } });
  if (total !== options.n) throw new Error(`${total} runs match instead of ${options.n}`);
  let batch;
  const during = await measureDispatch(load, async () => {
    batch = await ask("GET", `/v1/batch-operations/${id}`);
    return batch.finished_at !== null;
  });
  if (batch.succeeded !== options.n) throw new Error(`${batch.succeeded} of ${options.n} runs were canceled`);
  return { during, cancel_secs: Number(((performance.now() - startedAt) / 1_000).toFixed(1)) };
}

async function ask(method, path, body) {
  const headers = { ...millrace.headers, ...(body && { "content-type": "application/json" }) };
  const response = await fetch(millrace.url + path, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  return response.json();
}

function untilPassed(secs) {
  const endsAt = performance.now() + secs * 1_000;
  return async () => performance.now() >= endsAt;
}

function report(alone, during, { cancel_secs }) {
  const ratio = Number((during.p95 / alone.p95).toFixed(2));
  const line = {
    bench: "bulk-cancel",
    ...options,
    alone,
    during,
    ratio_p95: ratio,
    most_ratio: MAX_RATIO,
    cancel_secs,
  };
  process.stdout.write(`${JSON.stringify(line)}
${row("from the call to the endpoint, ms", ["p50", "p95", "p99", "max"])}
${row("alone", figures(alone))}
${row(`while ${options.n} runs are canceled`, figures(during))}
p95 ×${ratio} (at most ×${MAX_RATIO}); ${options.n} runs canceled in ${cancel_secs} s, ${Math.round(options.n / cancel_secs)}/s.
Node ${process.version}, ${availableParallelism()} cores, ${process.arch}.
`);
}

function figures({ p50, p95, p99, max }) {
  return [p50, p95, p99, max].map((value) => value.toFixed(2));
}

function row(label, cells) {
  return label.padEnd(36) + cells.map((cell) => cell.padStart(10)).join("");
}
