import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { createClient } from "../../../../sdk/src/client/create-client.ts";
import { defineJob } from "../../../../sdk/src/define-job.ts";
import { sync } from "../../../../sdk/src/sync.ts";
import { createWorker } from "../../../../sdk/src/worker/create-worker.ts";
import { openHarness } from "../../harness/open-harness.ts";
import { useServices } from "../../service/start-service.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

/** From the sixth retry on, after ten seconds, delays no longer grow; after 30 s all leases have expired. */
const OUTAGE_SECS = scenarioSize({ quick: 10, usual: 60, whole: 600 });
const CONCURRENCY = 5;
const RUNS = 4 * CONCURRENCY;

it("a worker of the SDK continues by itself after an outage of the service, and uses no try", {
  timeout: (OUTAGE_SECS + 300) * 1_000,
}, async () => {
  const { instances, project } = await openHarness({ name: "outage", instances: 1 });
  const { key } = await project();
  const client = createClient({ baseUrl: instances.urls()[0] ?? "", apiKey: key });
  const startedAt: number[] = [];
  const errors: unknown[] = [];
  const work = defineJob({
    id: "work",
    run: async () => {
      startedAt.push(performance.now());
      await pause(2_000);
    },
  });
  await sync(client, { jobs: [work], delivery: "pull" });
  const worker = createWorker({
    ...{ jobs: [work], client, concurrency: CONCURRENCY, handleSignals: false },
    onError: (error) => void errors.push(error),
  }).start();
  const runs = await Promise.all(Array.from({ length: RUNS }, () => client.jobs.trigger(work, {})));
  await until("the first runs to start", 30_000, () => startedAt.length >= CONCURRENCY);

  await instances.kill(0);
  await pause(OUTAGE_SECS * 1_000);
  const before = startedAt.length;
  await instances.start(0);
  const backAt = performance.now();
  await until("the next run to start", 60_000, () => startedAt.length > before);
  const resumedMs = Math.round((startedAt[before] ?? 0) - backAt);
  const ended = await Promise.all(runs.map((run) => run.result({ timeout: "120s" }).then(() => run.get())));
  console.info(`after ${OUTAGE_SECS} s the next run started ${resumedMs} ms after the service was ready`);
  console.info(`${startedAt.length} executions of ${RUNS} runs; messages of the worker: ${errors.map(String)}`);
  await worker.stop({ grace: "1s" });
  expect(new Set(ended.map(({ status, tries_used }) => `${status} ${tries_used}`))).toEqual(new Set(["completed 0"]));
});
