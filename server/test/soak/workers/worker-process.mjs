import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/**
 * A worker in a process of its own, without an open port. Journals the start and the end of each execution, and each
 * result that was settled. Arguments: the addresses of the instances, its key, its id, its journal.
 */
const [, , urlList = "", key = "", worker_id = "", journal = ""] = process.argv;
const urls = urlList.split(",");
const CONCURRENCY = 10;
const HEARTBEAT_MS = 3_000;
const held = new Map();
const results = [];
let next = Math.floor(Math.random() * urls.length);

const note = (entry) => appendFileSync(journal, `${JSON.stringify({ ...entry, worker_id, at: Date.now() })}\n`);

/** Undefined: no response, or the service is not ready. */
async function call(path, body) {
  const url = urls[next++ % urls.length];
  try {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

async function execute({ run_id, attempt, lease_token, job_slug, metadata }) {
  const lease = { run_id, attempt, lease_token };
  held.set(run_id, lease);
  note({ kind: "start", run_id, attempt, job_slug, key: metadata.key });
  await pause(20 + Math.random() * 100);
  note({ kind: "end", run_id, attempt });
  results.push({ ...lease, status: "completed", result: { attempt } });
}

/** Repeats a claim whose answer was lost under the same id. */
async function claim() {
  const body = { worker_id, claim_id: randomUUID(), max: CONCURRENCY - held.size, wait_secs: 2 };
  for (;;) {
    const claimed = await call("/worker/v1/claims", body);
    if (claimed) return claimed.runs;
    await pause(100);
  }
}

async function report() {
  for (;;) {
    const sent = results.splice(0, 100);
    if (sent.length > 0) {
      const answer = await call("/worker/v1/results", { worker_id, results: sent });
      if (!answer) {
        results.unshift(...sent);
        await pause(100);
        continue;
      }
      for (const { run_id, outcome } of answer.results) {
        held.delete(run_id);
        note({ kind: "reported", run_id, outcome });
      }
    }
    await pause(5);
  }
}

setInterval(() => {
  if (held.size > 0) void call("/worker/v1/heartbeats", { worker_id, runs: [...held.values()] });
}, HEARTBEAT_MS);
void report();
for (;;) {
  if (held.size >= CONCURRENCY) {
    await pause(5);
    continue;
  }
  for (const run of await claim()) void execute(run);
}
