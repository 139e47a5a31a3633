import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ProjectClient } from "../../harness/client.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { readMetrics } from "../../harness/read-metrics.ts";
import { startSteadyLoad } from "../../harness/steady-load.ts";
import { makeJob } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { type HostileHost, KINDS, type Kind, openHostileHosts } from "./hostile-hosts.ts";

useServices();

const SIZE = scenarioSize({
  quick: { runs: 280, secs: 20 },
  usual: { runs: 1_000, secs: 40 },
  whole: { runs: 2_000, secs: 60 },
});
const INSTANCES = 2;
const TIMEOUT_SECS = 5;
const SLACK_MS = 1_000;
const GOOD_PER_SEC = 10;
const BASE_MS = 15_000;
/** What opens a circuit on an instance, and what may be in flight there by then. */
const MOST_PER_INSTANCE = 20 + 40;
const PROBE_SECS = 5;
const MAX_RESPONSE_BYTES = 1_000_000;
/** Of both ends of a connection, of the kernel. */
const SOCKET_BUFFERS = 9_000_000;
const MAX_GROWTH_MB = 150;
const WITHIN_MS = 240_000;

it("hosts that hang, reset, drip, redirect or send too much harm no other, and their runs complete once they are well", {
  timeout: 900_000,
}, async () => {
  const harness = await openHarness({ name: "hostile hosts", instances: INSTANCES });
  const { connection, instances, receiver } = harness;
  const project = await harness.project();
  const endpoint_url = receiver.endpoint("work", ({ dispatch: { attempt } }) => ({ body: { attempt } }));
  const good = await makeJob({ api: project }, { endpoint_url });
  const load = startSteadyLoad(project, [good.id], GOOD_PER_SEC);
  await pause(BASE_MS);
  const [baseMb, hostileAt] = [await memoryMb(instances.urls()), Date.now()];
  const { hosts, heal } = await openHostileHosts();
  for (const kind of KINDS) await triggerAll(project, hosts[kind], Math.ceil(SIZE.runs / KINDS.length));

  let mostMb = 0;
  for (let sec = 0; sec < SIZE.secs; sec++) {
    await pause(1_000);
    mostMb = Math.max(mostMb, await memoryMb(instances.urls()));
  }
  const healedAt = Date.now();
  const seen = Object.fromEntries(KINDS.map((kind) => [kind, hosts[kind].requests])) as Record<Kind, number>;
  const waits = {
    base: await startsOf(connection, good.id, 0, hostileAt),
    beside: await startsOf(connection, good.id, hostileAt, healedAt),
  };
  heal();
  await load.stop();
  await harness.settle(WITHIN_MS, project);
  const { history, violations } = await harness.check(project);
  const { hang, drip, huge, bomb } = hosts;
  const closed = [...hang.closedAfter, ...drip.closedAfter];
  console.info(
    `${history.runs.length} runs; requests in ${SIZE.secs} s ${JSON.stringify(seen)}; a good job's start ` +
      `p50 ${waits.base.p50} ms, p99 ${waits.base.p99} ms before, p50 ${waits.beside.p50} ms, p99 ${waits.beside.p99} ms beside them; ` +
      `timeouts of ${TIMEOUT_SECS} s after ${Math.round(Math.min(...closed))} to ${Math.round(Math.max(...closed))} ms; ` +
      `at most ${(huge.mostBytes / 1e6).toFixed(1)} MB of 100 read; memory of the largest instance ${baseMb} MB, then at most ${mostMb} MB; ` +
      `all runs ended ${Math.round((Date.now() - healedAt) / 1_000)} s after the hosts were well`,
  );
  expect(violations).toEqual({});
  expect(history.runs.filter(({ job_id, status }) => job_id === good.id && status !== "completed")).toEqual([]);
  const mostRequests = INSTANCES * MOST_PER_INSTANCE + SIZE.secs / PROBE_SECS + 1;
  for (const kind of ["hang", "error", "reset", "drip"] as const) expect(seen[kind], kind).toBeLessThan(mostRequests);
  expect(Math.min(...closed)).toBeGreaterThan(TIMEOUT_SECS * 1_000 - SLACK_MS);
  expect(Math.max(huge.mostBytes, bomb.mostBytes)).toBeLessThan(MAX_RESPONSE_BYTES + SOCKET_BUFFERS);
  expect(mostMb - baseMb).toBeLessThan(MAX_GROWTH_MB);
});

async function triggerAll(project: ProjectClient, { url }: HostileHost, count: number): Promise<void> {
  const job = await makeJob({ api: project }, { endpoint_url: url, timeout_secs: TIMEOUT_SECS, max_attempts: 20 });
  for (let from = 0; from < count; from += 100) {
    const items = Array.from({ length: Math.min(100, count - from) }, () => ({}));
    await project.post(`/v1/jobs/${job.id}/trigger/bulk`, { items });
  }
}

async function memoryMb(urls: string[]): Promise<number> {
  const texts = await Promise.all(urls.map(readMetrics));
  const bytes = texts.map((text) => Number(/^millrace_process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]));
  return Math.round(Math.max(...bytes) / 1e6);
}

type Waits = { p50: number; p99: number };

/** How long runs that were triggered in this span waited for their start. */
async function startsOf(connection: TestConnection, job_id: string, from: number, to: number): Promise<Waits> {
  const [row] = await runSql<Waits>(
    connection,
    `select percentile_cont(0.5) within group (order by waited)::int as p50,
       percentile_cont(0.99) within group (order by waited)::int as p99
     from (
       select extract(epoch from coalesce(started_at, clock()) - created_at) * 1000 as waited from runs
       where job_id = $1 and created_at >= to_timestamp($2::float8 / 1000) and created_at < to_timestamp($3::float8 / 1000)
     ) started`,
    [job_id, from, to],
  );
  return row ?? { p50: 0, p99: 0 };
}
