import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { startMeter } from "../compare/cpu-meter.mjs";
import { settleDatabase } from "../compare/settle-database.mjs";
import { startSink } from "../compare/start-sink.mjs";
import { connectionTo, newDataDir, OURS, postmasterOf, startMillrace } from "../start-millrace.mjs";

// A service with 100,000 schedules: what it uses while none is due, how fast a page of the list is, and how late runs start when
// many are due in the same second.
const option = (name, usual) =>
  Number(process.argv.find((each) => each.startsWith(`--${name}=`))?.split("=")[1] ?? usual);
const count = option("n", 100_000);
const due = option("due", 5_000);
const idleSecs = option("idle", 20);
const CALLS = 100;
const TIMEOUT_MS = 300_000;

const dataDir = newDataDir();
const sink = await startSink();
const millrace = await startMillrace({
  dataDir,
  env: { ALLOW_PRIVATE_ENDPOINTS: "true", RATE_LIMIT_API_PER_MINUTE: "0" },
});
const client = new pg.Client(connectionTo(dataDir));
await client.connect();
try {
  const pids = { service: millrace.pid, postgres: postmasterOf(dataDir) };
  const none = await observeIdle(pids);
  await seed();
  await settleDatabase(client);
  const many = await observeIdle(pids);
  const list = await timeList();
  const fired = await fireTogether();
  process.stdout.write(`${JSON.stringify({ bench: "schedules", count, none, many, list, fired })}\n`);
} finally {
  await client.end();
  await millrace.stop();
  sink.stop();
}
process.exit();

async function seed() {
  const job = await send("POST", "/v1/jobs", { name: "Scheduled", endpoint_url: sink.url });
  await send("POST", "/v1/schedules", { job_id: job.id, cron: "0 3 * * *", timezone: "UTC" });
  await client.query(
    `insert into schedules (project_id, id, job_id, cron, timezone, payload, overlap_policy, environment_id, next_fire_at,
       created_by, created_at, updated_at)
     select s.project_id, gen_random_uuid(), s.job_id, s.cron, s.timezone, s.payload, 'allow', s.environment_id,
       s.next_fire_at + n % 80000 * interval '1 second', s.created_by, s.created_at + n * interval '1 millisecond', s.updated_at
     from schedules s cross join generate_series(1, $1::int) n where s.project_id = ${OURS} limit $1::int`,
    [count],
  );
}

/** Milliseconds of CPU per second. */
async function observeIdle(pids) {
  await pause(10_000);
  const meter = startMeter(pids);
  await pause(idleSecs * 1_000);
  const { cpu_us_per_item, others_cores } = meter.stop(idleSecs);
  const { service, postgres } = cpu_us_per_item;
  return { service_ms: service / 1_000, postgres_ms: postgres / 1_000, others_cores };
}

async function timeList() {
  const tookMs = [];
  let cursor = "";
  for (let nth = 0; nth < CALLS; nth++) {
    const startedAt = performance.now();
    const page = await send("GET", `/v1/schedules?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    tookMs.push(performance.now() - startedAt);
    cursor = page.next_cursor ?? "";
  }
  tookMs.sort((a, b) => a - b);
  return { p50_ms: Math.round(tookMs[CALLS / 2]), p99_ms: Math.round(tookMs[CALLS - 1]) };
}

async function fireTogether() {
  const { rows } = await client.query(
    `update schedules set next_fire_at = date_trunc('second', now()) + interval '2 seconds'
     where (project_id, id) in (select project_id, id from schedules where project_id = ${OURS} limit $1)
     returning extract(epoch from next_fire_at) * 1000 as at`,
    [due],
  );
  const at = Number(rows[0].at);
  const giveUpAt = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { rows: found } = await client.query(
      `select count(*)::int as count, extract(epoch from max(created_at)) * 1000 as created, extract(epoch from max(started_at)) * 1000 as started,
         count(*) filter (where created_at < scheduled_at)::int as early
       from runs where project_id = ${OURS} and schedule_id is not null and started_at is not null`,
    );
    if (found[0].count >= due) {
      const { created, started, early } = found[0];
      return { due, last_created_ms: Math.round(created - at), last_started_ms: Math.round(started - at), early };
    }
    if (Date.now() > giveUpAt) throw new Error(`only ${found[0].count} of ${due} runs started`);
    await pause(250);
  }
}

async function send(method, path, body) {
  const headers = { ...millrace.headers, "content-type": "application/json" };
  const response = await fetch(`${millrace.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
