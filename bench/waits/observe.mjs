import { setTimeout as pause } from "node:timers/promises";
import { closedLoop, openLoop } from "../compare/apply-load.mjs";
import { startMeter } from "../compare/cpu-meter.mjs";
import { newOrder } from "../compare/order.mjs";
import { percentiles } from "../compare/percentiles.mjs";
import { OURS } from "../start-millrace.mjs";
import { readMemoryMb } from "./read-memory.mjs";
import { until } from "./until.mjs";

const CLIENTS = 32;
const WARM_UP = 500;
const SCANS = 200;

/** The query of the timer, which runs twice a second. */
const DUE = `
  select project_id, id from event_triggers where status = 'waiting' and expires_at <= clock()
  order by expires_at limit 500`;

/** Opens and ends waits through the API, then idles long enough for a reconciliation. */
export async function observe(service, { n, rate, idle }) {
  await openAndSend(service, { name: `warm-up-${Date.now()}`, n: WARM_UP, rate });
  const sent = await openAndSend(service, { name: `order-${Date.now()}`, n, rate });
  const scan_ms = await timeScans(service);
  const meter = startMeter(service.pids);
  await pause(idle * 1_000);
  const { cpu_us_per_item: cpu } = meter.stop(idle);
  return {
    exact_ms: percentiles(sent),
    scan_ms,
    idle_cores: { service: cpu.service / 1e6, postgres: cpu.postgres / 1e6 },
    memory_mb: await readMemoryMb(service),
  };
}

async function openAndSend(service, { name, n, rate }) {
  const before = await countWaiting(service);
  await closedLoop(n, CLIENTS, (index) =>
    service.send("/v1/workflows/wait/trigger", { payload: { ...newOrder(index), event: `${name}-${index}` } }),
  );
  await until(`${n} more to wait`, async () => (await countWaiting(service)) >= before + n);
  service.sink.expect(n);
  const load = openLoop(n, rate, (index) => service.send(`/v1/events/${name}-${index}/send`, { payload: {} }));
  const [took] = await Promise.all([load, service.sink.untilReceived()]);
  return took;
}

async function timeScans({ client }) {
  const took = [];
  for (let scan = 0; scan < SCANS; scan++) {
    const startedAt = performance.now();
    await client.query(DUE);
    took.push(performance.now() - startedAt);
  }
  return percentiles(took);
}

export async function countWaiting({ client }) {
  const { rows } = await client.query(
    `select sum(waiting)::int as count from event_trigger_counts where project_id = ${OURS}`,
  );
  return rows[0].count ?? 0;
}
