import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { type StopFigures, stopFigures } from "../../harness/check/stops.ts";
import type { ProjectClient } from "../../harness/client.ts";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { makeJob, makeWorkflow } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const SIZE = scenarioSize({
  quick: { items: 40, children: 30, runs: 40 },
  usual: { items: 200, children: 300, runs: 90 },
  whole: { items: 200, children: 300, runs: 10_000 },
});
const STEPS = 30;
const CHARGE_MS = 120;
const NAP_SECS = 3;
/** So that the sleeps end while the states of child runs are written. */
const BEFORE_NAPS_END_MS = 100;
/** A claim despite a pause would happen when a slot is released, or in the poll every second. */
const WATCHED_MS = 2_500;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ name: "stop" });
});

type Stopped = { project: ProjectClient; id: string; dispatched: () => number };

/** A workflow run in a separate project whose steps call the `charge` endpoint. */
async function start(
  limits: object,
  stepsOf: (job_id: string, project: ProjectClient) => object[] | Promise<object[]>,
): Promise<Stopped> {
  const project = await harness.project();
  const endpoint_url = harness.receiver.endpoint("charge", async () => {
    await pause(CHARGE_MS);
    return {};
  });
  const job = await makeJob({ api: project }, { name: "Charge", endpoint_url, ...limits });
  const { path } = await makeWorkflow({ api: project }, { steps: await stepsOf(job.id, project) });
  const { body } = await project.post(`${path}/trigger`, {});
  const dispatched = () => harness.receiver.dispatches.filter((each) => each.project_id === project.project_id).length;
  return { project, id: body.id, dispatched };
}

const list = (length: number) => Array.from({ length }, (_, nth) => nth);

/** The object that is stopped, and when. */
const CASES: Record<
  string,
  { start: () => Promise<Stopped>; isTime: (stopped: Stopped) => boolean | Promise<boolean> }
> = {
  "a map on a job with max_concurrency 5": {
    isTime: ({ dispatched }) => dispatched() >= 10,
    start: () =>
      start({ max_concurrency: 5 }, (job_id) => [
        { step_ref: "each", type: "map", items: list(SIZE.items), job_id, max_parallel: SIZE.items },
      ]),
  },
  "a map over sub-workflows that sleep, then charge": {
    isTime: napsAreAboutToEnd,
    start: () =>
      start({}, async (job_id, project) => {
        const nap = { step_ref: "nap", type: "sleep", sleep_duration: `${NAP_SECS}s` };
        const charge = { step_ref: "charge", job_id, depends_on: ["nap"] };
        const { id: workflow_id } = await makeWorkflow({ api: project }, { name: "Child", steps: [nap, charge] });
        const items = list(SIZE.children);
        return [{ step_ref: "each", type: "map", items, workflow_id, max_parallel: items.length }];
      }),
  },
  "30 parallel steps on a job with max_concurrency 2": {
    isTime: ({ dispatched }) => dispatched() >= 3,
    start: () =>
      start({ max_concurrency: 2 }, (job_id) => list(STEPS).map((nth) => ({ step_ref: `step${nth}`, job_id }))),
  },
};

async function napsAreAboutToEnd({ project }: Stopped): Promise<boolean> {
  const soon = `select 1 from event_triggers where project_id = $1 and wait_kind = 'sleep'
    having min(expires_at) < clock() + $2 * interval '1 millisecond'`;
  return (await runSql(harness.connection, soon, [project.project_id, BEFORE_NAPS_END_MS])).length > 0;
}

async function stop(
  stopped: Stopped,
  verb: "cancel" | "pause",
  isTime: (stopped: Stopped) => unknown,
): Promise<string> {
  await until(`the time to ${verb}`, 60_000, () => isTime(stopped));
  const [at = ""] = harness.instances.urls();
  await stopped.project.post(`/v1/workflow-runs/${stopped.id}/${verb}`, {}, at);
  return at;
}

async function judge({ project, id }: Pick<Stopped, "project" | "id">): Promise<void> {
  const { history, violations } = await harness.check(project);
  const figures = stopFigures(history).find(({ target }) => target === id);
  console.info(format(figures));
  expect(violations).toEqual({});
}

function format(figures: StopFigures | undefined): string {
  const { kind, in_flight, claims_after, received_after, latest_ms, ended_ms } =
    figures ?? ({} as Partial<StopFigures>);
  return (
    `${kind}: ${claims_after} claims after its commit; ${received_after} requests after its response (reported in flight: ` +
    `${in_flight}), the last after ${latest_ms} ms; all ended after ${ended_ms} ms`
  );
}

describe.each(Object.entries(CASES))("after the cancel of %s", (_, { isTime, start }) => {
  it("nothing below it is claimed", async () => {
    const stopped = await start();
    await stop(stopped, "cancel", isTime);
    await harness.settle(60_000, stopped.project);
    await judge(stopped);
  });

  it("nothing is claimed even if the instance that responded is killed before the last state is written", async () => {
    const stopped = await start();
    const at = await stop(stopped, "cancel", isTime);
    await harness.instances.crash(harness.instances.at(at), 1_000);
    await harness.settle(60_000, stopped.project);
    await judge(stopped);
  });
});

describe.each(Object.entries(CASES))("after the pause of %s", (_, { isTime, start }) => {
  it("nothing below it is claimed until it is resumed, and then all of it completes", async () => {
    const stopped = await start();
    await stop(stopped, "pause", isTime);
    await pause(WATCHED_MS);
    await stopped.project.post(`/v1/workflow-runs/${stopped.id}/resume`);
    await harness.settle(90_000, stopped.project);
    await judge(stopped);
    const { body } = await stopped.project.get(`/v1/workflow-runs/${stopped.id}`);
    expect(body.status).toBe("completed");
  });
});

describe("after a bulk cancel of queued runs", () => {
  it.each(["", "when the instance is killed after its response"])("none of them is claimed %s", async (isKilled) => {
    const project = await harness.project();
    const endpoint_url = harness.receiver.endpoint("charge", async () => {
      await pause(CHARGE_MS);
      return {};
    });
    const job = await makeJob({ api: project }, { endpoint_url, max_concurrency: 5 });
    for (const from of list(Math.ceil(SIZE.runs / 100))) {
      const items = list(Math.min(100, SIZE.runs - from * 100)).map((nth) => ({ payload: { nth } }));
      await project.post(`/v1/jobs/${job.id}/trigger/bulk`, { items });
    }
    const [at = ""] = harness.instances.urls();
    const { body } = await project.post("/v1/runs/bulk-cancel-all", { filter: { job_id: job.id } }, at);
    if (isKilled) await harness.instances.crash(harness.instances.at(at), 1_000);
    await harness.settle(120_000, project);
    await judge({ project, id: body.id });
  });
});
