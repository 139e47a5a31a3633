import { newDataDir, startMillrace } from "../start-millrace.mjs";

// One event for 1,000 subscriptions in one call, until the response, when the event and all its runs are committed.
// The jobs are paused, so that only the call is measured. No peers.
const options = Object.fromEntries(process.argv.slice(3).map((each) => each.replace(/^--/, "").split("=")));
const SUBSCRIPTIONS = Number(options.n ?? 1_000);
const ROUNDS = Number(options.rounds ?? 15);
const WARM_UP = 3;
const AT_ONCE = 8;
const MAX_MS = 500;

const millrace = await startMillrace({ dataDir: newDataDir() });
try {
  for (const jobs of [1, SUBSCRIPTIONS]) report(jobs, await measure(jobs));
} finally {
  await millrace.stop();
}

async function measure(jobs) {
  const source = await post("/v1/event-sources", { name: `Bench ${jobs}` });
  const made = await each(jobs, async (n) => {
    const job = await post("/v1/jobs", { name: `Job ${n}`, endpoint_url: "https://example.com/" });
    await post(`/v1/jobs/${job.id}/pause`);
    return job.id;
  });
  await each(SUBSCRIPTIONS, (n) =>
    post(`/v1/event-sources/${source.id}/subscriptions`, {
      job_id: made[n % jobs],
      filter: `event.type == 'paid' && payload.total >= ${n}.0`,
      payload: { nth: n, order: "{{payload.order}}" },
    }),
  );
  const times = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const began = performance.now();
    const event = { source: source.id, type: "paid", payload: { total: 1_000_000, order: { id: round } } };
    const { started } = await post("/v1/events/dispatch", event);
    if (started !== SUBSCRIPTIONS) throw new Error(`${started} of ${SUBSCRIPTIONS} runs were started`);
    if (round >= WARM_UP) times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b);
}

function report(jobs, times) {
  const at = (share) => Number(times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1));
  const figures = { p50_ms: at(0.5), p95_ms: at(0.95), max_ms: at(1), target_ms: MAX_MS };
  process.stdout.write(
    `${JSON.stringify({ bench: "dispatch-event", subscriptions: SUBSCRIPTIONS, jobs, ...figures })}\n`,
  );
}

async function each(count, work) {
  const results = new Array(count);
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) results[n] = await work(n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

async function post(path, body) {
  const headers = { ...millrace.headers, ...(body && { "content-type": "application/json" }) };
  const response = await fetch(millrace.url + path, {
    method: "POST",
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}
