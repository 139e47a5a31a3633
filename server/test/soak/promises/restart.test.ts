import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { openHarness } from "../../harness/open-harness.ts";
import { makeJob } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const RUNS = scenarioSize({ quick: 5, usual: 20, whole: 100 });
const GOES_ON_WITHIN_MS = 2_000;

it("the runs of the only instance continue within 2 s of its restart after kill -9", async () => {
  const { instances, receiver, project, settle, check } = await openHarness({ name: "restart", instances: 1 });
  const client = await project();
  const endpoint_url = receiver.endpoint("long", async ({ dispatch, isGone }) => {
    while (dispatch.attempt === 1 && !isGone()) await pause(20);
    return { body: { attempt: dispatch.attempt } };
  });
  const job = await makeJob({ api: client }, { endpoint_url });
  const items = Array.from({ length: RUNS }, (_, nth) => ({ payload: { nth } }));
  await client.post(`/v1/jobs/${job.id}/trigger/bulk`, { items });
  await until("all to be in flight", 30_000, () => receiver.dispatches.length === RUNS);

  await instances.kill(0);
  await instances.start(0);
  const restartedAt = Date.now();
  const again = () => receiver.dispatches.filter(({ attempt }) => attempt === 2);
  await until("all to continue", 60_000, () => again().length === RUNS);
  const lastMs = Math.max(...again().map(({ received_at }) => received_at - restartedAt));
  console.info(`${RUNS} runs in flight at kill -9; the last continued ${lastMs} ms after the restart`);
  await settle(30_000);
  expect((await check()).violations).toEqual({});
  expect(lastMs).toBeLessThan(GOES_ON_WITHIN_MS);
});
