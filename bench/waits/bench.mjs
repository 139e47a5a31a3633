import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { createWorkflows } from "../compare/millrace-workflows.mjs";
import { openPost } from "../compare/post.mjs";
import { settleDatabase } from "../compare/settle-database.mjs";
import { startSink } from "../compare/start-sink.mjs";
import { connectionTo, newDataDir, postmasterOf, startMillrace } from "../start-millrace.mjs";
import { expireTogether } from "./expire-together.mjs";
import { observe } from "./observe.mjs";
import { printWaits } from "./print-waits.mjs";
import { memoryReporter } from "./read-memory.mjs";
import { seedWaits } from "./seed-waits.mjs";
import { sendPrefixes } from "./send-prefixes.mjs";
import { sendToSeeded } from "./send-to-seeded.mjs";

// Measures the cost of a million waits. The same load runs twice on a newly started service: with no waits, and with
// a million waiting workflows. Then events are sent to the million waits, individually and by prefix, and 10,000
// expire at once.
const options = readOptions();
const dataDir = newDataDir();
const sink = await startSink();

try {
  await withService(({ send }) => createWorkflows(send, sink.url));
  const none = await withService((service) => observe(service, options));
  await withService(async (service) => {
    await seedWaits(service, options.waiting);
    await settleDatabase(service.client);
  });
  const many = await withService(observeMany);
  process.stdout.write(`${JSON.stringify({ bench: "waits", ...options, none, many })}\n`);
  printWaits(options, none, many, `Node ${process.version}, ${availableParallelism()} cores, ${process.arch}.`);
} finally {
  sink.stop();
}
process.exit();

async function observeMany(service) {
  const observed = await observe(service, options);
  const seeded_ms = await sendToSeeded(service, options);
  const prefix_ms = await sendPrefixes(service);
  const expired = await expireTogether(service, options.expiring);
  return { ...observed, seeded_ms, prefix_ms, ...expired };
}

/** Restarts the service on the same data, so that its memory usage is due to this load alone. */
async function withService(use) {
  const memoryFile = join(dataDir, "memory");
  const { node, env } = memoryReporter(memoryFile);
  const millrace = await startMillrace({ dataDir, env: { MAX_ACTIVE_EVENT_TRIGGERS: "10000000", ...env }, node });
  const api = openPost(millrace.url, { connections: 64, headers: millrace.headers });
  const client = new pg.Client(connectionTo(dataDir));
  await client.connect();
  try {
    return await use({
      ...millrace,
      memoryFile,
      client,
      sink,
      pids: { service: millrace.pid, postgres: postmasterOf(dataDir) },
      send: (path, body) => api.post(path, JSON.stringify(body)),
    });
  } finally {
    await api.close();
    await client.end();
    await millrace.stop();
  }
}

/**
 * `--waiting` seeded waits, `--n` events at `--rate` per second, `--idle` seconds without load, `--expiring` waits in
 * the same second.
 */
function readOptions() {
  const number = (value) => ({ type: "string", default: String(value) });
  const { values } = parseArgs({
    options: {
      waiting: number(1_000_000),
      n: number(1_000),
      rate: number(50),
      idle: number(35),
      expiring: number(10_000),
    },
    allowPositionals: true,
  });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
}
