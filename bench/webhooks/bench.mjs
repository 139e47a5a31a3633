import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { closedLoop, openLoop } from "../compare/apply-load.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { openPost } from "../compare/post.mjs";
import { connectionTo, newDataDir, startMillrace } from "../start-millrace.mjs";
import { seedDead } from "./seed-dead.mjs";
import { startReceivers } from "./start-receivers.mjs";

// Measures how dead receivers affect a healthy one in the same project. Events are delivered at a steady rate and
// timed from just before sending one until the receiver gets the webhook: first alone, then with a thousand
// unresponsive receivers.
const options = readOptions();
const WARM_UP = 500;
const MAX_RATIO = 2;

const receivers = await startReceivers(options.dead);
const dataDir = newDataDir();
const millrace = await startMillrace({ dataDir, env: { MAX_ACTIVE_EVENT_TRIGGERS: "10000000" } });
const api = openPost(millrace.url, { connections: 64, headers: millrace.headers });
const client = new pg.Client(connectionTo(dataDir));
await client.connect();

try {
  await send("/v1/workflows", {
    name: "Delivered",
    slug: "delivered",
    steps: [{ step_ref: "w", type: "wait_for_event", event_key: "{{payload.key}}", notify_url: receivers.goodUrl }],
  });
  await measure("warm-up", WARM_UP);
  const alone = await measure("alone", options.n);
  await seedDead(client, receivers.deadUrls, options.each);
  const loaded = await measure("loaded", options.n);
  const ratio = Number((loaded.p95 / alone.p95).toFixed(2));
  const under_way = await countUnderWay();
  process.stdout.write(`${JSON.stringify({ bench: "webhooks", ...options, alone, loaded, ratio, under_way })}\n`);
  process.stdout.write(`
| ms from the send to the webhook | p50 | p95 | p99 | max |
|---|---|---|---|---|
| alone | ${row(alone)} |
| with ${options.dead} dead receivers, ${options.each} webhooks to each | ${row(loaded)} |

p95 × ${ratio} (at most ${MAX_RATIO}); ${under_way} webhooks to the dead were under way at the end.
Node ${process.version}, ${availableParallelism()} cores, ${process.arch}.
`);
} finally {
  await api.close();
  await client.end();
  await millrace.stop();
}
process.exit();

function readOptions() {
  const number = (value) => ({ type: "string", default: String(value) });
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { n: number(1_000), rate: number(50), dead: number(1_000), each: number(5) },
  });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
}

function send(path, body) {
  return api.post(path, JSON.stringify(body));
}

/** Opens the waits first, then sends their events without waiting for responses. */
async function measure(name, n) {
  await closedLoop(n, 16, (index) => send("/v1/workflows/delivered/trigger", { payload: { key: `${name}-${index}` } }));
  const arrived = receivers.expect(n);
  await openLoop(n, options.rate, (index) =>
    send(`/v1/events/${name}-${index}/send`, { payload: { sent_at: performance.timeOrigin + performance.now() } }),
  );
  return percentiles(await arrived);
}

async function countUnderWay() {
  const { rows } = await client.query(
    "select count(*)::int from webhook_deliveries where claim_token is not null and next_attempt_at > clock()",
  );
  return rows[0].count;
}

function row({ p50, p95, p99, max }) {
  return [p50, p95, p99, max].join(" | ");
}
