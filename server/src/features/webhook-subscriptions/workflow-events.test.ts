import { WORKFLOW_RUN_EVENTS } from "@millrace/contract/deliveries/webhook-subscriptions";
import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../test/costs/workflow-bench.ts";
import { listener } from "../../../test/oracles/published-events.ts";
import { makeWorkflow, REST } from "../../../test/seed/make-workflow.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
});

const STEP = { step_ref: "a" };
const NEXT = { step_ref: "b", depends_on: ["a"] };

async function started(fields: object = {}, body: object = {}): Promise<string> {
  const { path } = await makeWorkflow(project, fields);
  const response = await project.api.post(`${path}/trigger`, body);
  if (response.status !== 201) throw new Error(response.text);
  return response.body.id;
}

describe("workflow run events", () => {
  it("H1 cover their start and their end, once each, however many steps they have", async () => {
    project = await world.project();
    const { published } = await listener(world, project.id, { events: ["workflow_run.*"] });
    const bench = await workflowBench(world, project);
    const { run } = await bench.run(await bench.save([STEP, NEXT]));
    const events = await published();
    expect(events.map(({ type }) => type)).toEqual(["workflow_run.started", "workflow_run.completed"]);
    const { $schema: _, ...shown } = run;
    expect(events.at(-1)).toMatchObject({ data: shown, transition: { decision_type: "end" } });
    const { data } = (await project.api.get("/v1/webhook-deliveries")).body;
    expect(data[0]).toMatchObject({ source_type: "workflow_run", source_id: run.id });
  });

  it("cover a failure, its retry and the second end, but the start only once", async () => {
    project = await world.project();
    const { types } = await listener(world, project.id, { events: ["workflow_run.*"] });
    const bench = await workflowBench(world, project);
    bench.onDispatch("a", () => ({ status: 500 }));
    const { run } = await bench.run(await bench.save([STEP, NEXT]));
    expect(await types()).toEqual(["workflow_run.started", "workflow_run.failed"]);
    bench.onDispatch("a", () => ({ status: 200 }));
    expect((await project.api.post(`/v1/workflow-runs/${run.id}/retry`)).status).toBeLessThan(300);
    await world.runUntilIdle();
    expect(await types()).toEqual([
      "workflow_run.started",
      "workflow_run.failed",
      "workflow_run.retried",
      "workflow_run.completed",
    ]);
  });

  it("publish an end as it was, even if the run is live again by then", async () => {
    project = await world.project();
    const { published } = await listener(world, project.id, {
      events: ["workflow_run.canceled", "workflow_run.completed"],
    });
    const id = await started();
    await project.api.post(`/v1/workflow-runs/${id}/cancel`);
    expect((await project.api.post(`/v1/workflow-runs/${id}/retry`)).status).toBeLessThan(300);
    const events = await published();
    expect(events.map(({ type, data }) => [type, data.status])).toEqual([["workflow_run.canceled", "running"]]);
    expect(events[0]?.transition.detail).toEqual({ status: "canceled" });
  });

  it("cover pause, resume and cancel; a delayed run starts when it is due", async () => {
    project = await world.project();
    const { types } = await listener(world, project.id, { events: ["workflow_run.*"] });
    const id = await started({}, { delay_secs: 60 });
    expect(await types()).toEqual([]);
    for (const verb of ["pause", "resume"]) await project.api.post(`/v1/workflow-runs/${id}/${verb}`);
    expect(await types()).toEqual(["workflow_run.paused", "workflow_run.resumed"]);
    await world.clock.pass("61s");
    await world.runUntilIdle();
    await project.api.post(`/v1/workflow-runs/${id}/cancel`);
    expect(await types()).toEqual([
      "workflow_run.paused",
      "workflow_run.resumed",
      "workflow_run.started",
      "workflow_run.canceled",
    ]);
  });

  it("cover timeouts; and there are no other types", async () => {
    project = await world.project();
    const { types } = await listener(world, project.id, { events: ["workflow_run.timed_out"] });
    await started({ timeout_secs: 5 });
    await world.clock.pass("6s");
    await world.runUntilIdle();
    expect(await types()).toEqual(["workflow_run.timed_out"]);
    const tested = ["started", "completed", "failed", "retried", "paused", "resumed", "canceled", "timed_out"];
    expect(new Set(WORKFLOW_RUN_EVENTS)).toEqual(new Set(tested.map((name) => `workflow_run.${name}`)));
  });
});

describe("a workflow run that was canceled before it was due", () => {
  it("H1 starts with its retry", async () => {
    project = await world.project();
    const { types } = await listener(world, project.id, { events: ["workflow_run.*"] });
    const id = await started({ steps: [REST] }, { delay_secs: 3_600 });
    await project.api.post(`/v1/workflow-runs/${id}/cancel`);
    await project.api.post(`/v1/workflow-runs/${id}/retry`);
    await world.runUntilIdle();
    // The step starts after the response to the retry.
    await until("its start", 20_000, async () => (await types()).includes("workflow_run.started"));
    expect(await types()).toEqual(["workflow_run.canceled", "workflow_run.retried", "workflow_run.started"]);
  });
});

describe("the task publish-webhooks", () => {
  it("H1 inserts each delivery once, even with six concurrent passes", async () => {
    project = await world.project();
    const { published } = await listener(world, project.id, { events: ["workflow_run.started"] });
    await Promise.all(Array.from({ length: 10 }, () => started({ steps: [REST] })));
    await Promise.all(Array.from({ length: 6 }, () => world.tick("publish-webhooks")));
    const ids = (await published()).map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([10, 10]);
  });
});
