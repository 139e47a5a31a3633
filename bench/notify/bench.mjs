import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { openLoop } from "../compare/apply-load.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { openPost } from "../compare/post.mjs";
import { newDataDir, startMillrace } from "../start-millrace.mjs";
import { startObserver } from "./start-observer.mjs";

// Measures how long after the end of a run its subscribers know: from the endpoint's response, which ends the run,
// until the receiver gets the webhook, and until an open stream gets the event. Runs are triggered at a steady rate.
const options = readOptions();
const WARM_UP_SECS = 10;
const GOAL_MS = 60;

const observer = await startObserver();
const millrace = await startMillrace({ dataDir: newDataDir() });
const api = openPost(millrace.url, { connections: 64, headers: millrace.headers });

try {
  await send("/v1/jobs", { name: "Notified", slug: "notified", endpoint_url: observer.jobUrl });
  await send("/v1/webhook-subscriptions", { url: observer.webhookUrl, events: ["run.completed"] });
  const stream = await observer.openStream(millrace);
  await measure(WARM_UP_SECS * options.rate);
  const { webhook_ms, stream_ms } = await measure(options.n);
  stream.close();
  process.stdout.write(`${JSON.stringify({ bench: "notify", ...options, webhook_ms, stream_ms })}\n`);
  process.stdout.write(`
| ms from the endpoint's response | p50 | p95 | p99 | max |
|---|---|---|---|---|
| to the webhook at its receiver | ${row(webhook_ms)} |
| to the event at a stream | ${row(stream_ms)} |

${options.n} runs at ${options.rate}/s; the goal is a p50 of at most ${GOAL_MS} ms each.
Node ${process.version}, ${availableParallelism()} cores, ${process.arch}.
`);
} finally {
  await api.close();
  await millrace.stop();
}
process.exit();

function readOptions() {
  const number = (value) => ({ type: "string", default: String(value) });
  const { values } = parseArgs({ args: process.argv.slice(3), options: { n: number(1_000), rate: number(50) } });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
}

function send(path, body) {
  return api.post(path, JSON.stringify(body));
}

/** Triggers runs without waiting for responses. */
async function measure(n) {
  const seen = observer.expect(n);
  await openLoop(n, options.rate, () => send("/v1/jobs/notified/trigger", {}));
  const { webhooks, events } = await seen;
  return { webhook_ms: percentiles(webhooks), stream_ms: percentiles(events) };
}

function row({ p50, p95, p99, max }) {
  return [p50, p95, p99, max].join(" | ");
}
