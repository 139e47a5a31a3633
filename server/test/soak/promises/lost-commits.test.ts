import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { type ChaosProxy, openDatabaseProxy } from "../../harness/chaos-proxy.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { readMetrics } from "../../harness/read-metrics.ts";
import { startSteadyLoad } from "../../harness/steady-load.ts";
import { makeJob } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const SIZE = scenarioSize({
  quick: { perSec: 40, lost: 50 },
  usual: { perSec: 100, lost: 300 },
  whole: { perSec: 200, lost: 1_000 },
});
/** Of the pool of an instance. */
const MAX_CONNECTIONS = 10;
/** Of all commits, so that the others keep the connections that each loss costs. */
const SHARE = 0.1;
const WITHIN_MS = 400_000;

it("a commit whose reply is lost takes effect once, whether its request or its run is repeated", {
  timeout: 900_000,
}, async () => {
  let database: ChaosProxy | undefined;
  const harness = await openHarness({
    name: "lost commits",
    databaseUrl: async (connection) => {
      const proxy = await openDatabaseProxy(connection);
      database = proxy;
      return proxy.url;
    },
  });
  const { receiver, random } = harness;
  const proxy = database as unknown as ChaosProxy;
  const project = await harness.project();
  const endpoint_url = receiver.endpoint("work", ({ dispatch: { attempt } }) => ({ body: { attempt } }));
  const job = await makeJob({ api: project }, { endpoint_url, max_attempts: 20 });

  const pools = watchPools(harness.instances.urls);
  const load = startSteadyLoad(project, [job.id], SIZE.perSec);
  const startedAt = performance.now();
  proxy.dropReplies((request) => random() < SHARE && /commit/i.test(request.toString("latin1")));
  await until("so many lost replies", WITHIN_MS, () => proxy.dropped() >= SIZE.lost);
  proxy.dropReplies(undefined);
  const secs = (performance.now() - startedAt) / 1_000;
  await load.stop();
  await harness.settle(120_000, project);
  const most = await pools.stop();

  const { history, violations } = await harness.check(project);
  const repeated = history.calls.filter(({ status }) => status === 0 || status >= 500).length;
  console.info(
    `${proxy.dropped()} replies to a commit dropped in ${secs.toFixed(0)} s, ${(load.acknowledged() / secs).toFixed(0)} triggers a second: ` +
      `${load.acknowledged()} acknowledged, ${repeated} calls repeated, ${history.runs.length} runs; ` +
      `at most ${most} connections of an instance`,
  );
  expect(violations).toEqual({});
  expect(history.runs.length).toBe(load.acknowledged());
  expect(repeated).toBeGreaterThan(0);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(MAX_CONNECTIONS);
});

/** The most connections at work that an instance has had. */
function watchPools(urls: () => string[]): { stop: () => Promise<number> } {
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      for (const url of urls()) most = Math.max(most, await readOpen(url).catch(() => 0));
      await pause(500);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await watching;
      return most;
    },
  };
}

async function readOpen(url: string): Promise<number> {
  const counts = [...(await readMetrics(url)).matchAll(/^millrace_database_pool_connections\{state="\w+"\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
