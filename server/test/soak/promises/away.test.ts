import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { openHarness } from "../../harness/open-harness.ts";
import { jobEndpoint } from "../../outside/job-endpoint.ts";
import { makeJob } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const PER_SECOND = scenarioSize({ quick: 5, usual: 20, whole: 50 });
const AWAY_SECS = scenarioSize({ quick: 8, usual: 20, whole: 60 });

it("a worker that is away costs no run and no try, with kill -9 of an instance meanwhile", {
  timeout: 900_000,
}, async () => {
  const { instances, project, connection } = await openHarness({ name: "away", instances: 2 });
  const client = await project();
  const endpoint = await jobEndpoint();
  const job = await makeJob({ api: client }, { endpoint_url: endpoint.url, max_attempts: 1 });
  await client.post(`/v1/jobs/${job.id}/trigger`, {});
  await until("the worker to respond once", 30_000, () => endpoint.dispatches.length === 1);
  await pause(3_000); // an instance records within a second that the host has responded

  await endpoint.close();
  const items = Array.from({ length: PER_SECOND }, () => ({}));
  const run_ids: string[] = [];
  const trigger = async () => {
    const { body } = await client.post(`/v1/jobs/${job.id}/trigger/bulk`, { items });
    run_ids.push(...body.results.map(({ run_id }: { run_id: string }) => run_id));
  };
  for (let second = 0; second < AWAY_SECS; second++) {
    if (second === Math.floor(AWAY_SECS / 3)) await instances.kill(1);
    if (second === Math.floor(AWAY_SECS / 2)) await instances.start(1);
    await trigger();
    await pause(1_000);
  }
  expect((await client.get("/v1/endpoints")).body.data).toMatchObject([{ state: "unreachable" }]);

  await endpoint.reopen();
  const backAt = Date.now();
  const open = async () => (await client.get("/v1/runs?q=status:pending,running&limit=1")).body.data.length;
  await until("all runs to end", 120_000, async () => (await open()) === 0);
  console.info(`${run_ids.length} runs were done ${Date.now() - backAt} ms after the worker was back`);
  const ended = await runSql(
    connection,
    "select status, tries_used, count(*)::int as count from runs where id = any($1) group by 1, 2",
    [run_ids],
  );
  expect(ended).toEqual([{ status: "completed", tries_used: 0, count: PER_SECOND * AWAY_SECS }]);
});
