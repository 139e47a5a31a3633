import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { readStream } from "../../../../test/outside/read-stream.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

/** A run whose step `ok` asks to approve the output of `price`: 1 at first, then 2, and so on. */
async function waiting() {
  const bench = await workflowBench(world, project);
  let amount = 0;
  bench.onDispatch("price", () => ({ body: { amount: ++amount } }));
  const message = "Pay {{parent_outputs.price.amount}} for {{payload.n}}?";
  const steps = [{ step_ref: "price" }, { step_ref: "ok", type: "approval", depends_on: ["price"], message }];
  const { run } = await bench.run(await bench.save(steps), { payload: { n: 7 } });
  const path = `/v1/workflow-runs/${run.id}`;
  return {
    path,
    post: async (to: string) => (await project.api.post(`${path}/${to}`, {})).body,
    step: async () => (await project.api.get(`${path}/steps/ok`)).body,
    all: async () => {
      const { body: listed } = await project.api.get(`${path}/steps`);
      const { body: graph } = await project.api.get(`${path}/graph`);
      return [listed.data, graph.nodes].map((steps) => steps.map((step: { message: unknown }) => step.message));
    },
  };
}

describe("the message of an approval", () => {
  it("is returned rendered, while it waits and after the decision; other steps have none", async () => {
    const { post, step, all } = await waiting();
    const message = "Pay 1 for 7?";
    expect(await step()).toMatchObject({ status: "waiting", message });
    const everywhere = [
      [null, message],
      [null, message],
    ];
    expect(await all()).toEqual(everywhere);
    expect(await post("steps/ok/approve")).toMatchObject({ status: "completed", message });
    await world.runUntilIdle();
    expect(await all()).toEqual(everywhere);
  });

  it("is returned with its wait, in lists and alone, until the step is redone; other waits have none", async () => {
    const { post, step } = await waiting();
    const { event_trigger_id } = await step();
    const listed = async () =>
      (await project.api.get("/v1/events?limit=100")).body.data.find(
        ({ id }: { id: string }) => id === event_trigger_id,
      );
    const message = "Pay 1 for 7?";
    const { event_key, ...shown } = await listed();
    expect(shown).toMatchObject({ wait_kind: "approval", message });
    const alone = `/v1/events/${encodeURIComponent(event_key)}`;
    expect((await project.api.get(alone)).body.message).toBe(message);
    const live = await readStream(world.url, `${alone}/stream`, { authorization: `Bearer ${project.key}` });
    expect((await live.next("status")).message).toBe(message);
    live.close();
    await post("steps/ok/reject");
    expect(await listed()).toMatchObject({ finished_at: expect.any(String), message });
    await world.runUntilIdle();
    await post("steps/price/replay-subtree");
    expect(await listed()).toMatchObject({ message: null });
    const bench = await workflowBench(world, project);
    await bench.run(await bench.save([{ step_ref: "go", type: "wait_for_event", event_key: "go-7" }]));
    expect((await project.api.get("/v1/events/go-7")).body).toMatchObject({ wait_kind: "event", message: null });
  });

  it("is set if the step waits from the run's creation on, and null if it has no text", async () => {
    const bench = await workflowBench(world, project);
    const steps = [
      { step_ref: "ok", type: "approval", message: "Pay {{payload.n}}?" },
      { step_ref: "silent", type: "approval" },
    ];
    const ran = await bench.read(await bench.start(await bench.save(steps), { payload: { n: 7 } }));
    expect(ran.steps).toMatchObject({ ok: { message: "Pay 7?" }, silent: { status: "waiting", message: null } });
  });

  it("stays if the step is canceled because the run is compensated", async () => {
    const bench = await workflowBench(world, project);
    const steps = [
      { step_ref: "charge", job_id: bench.job_id, compensate_job_id: bench.job_id },
      { step_ref: "ok", type: "approval", message: "Pay {{payload.n}}?" },
      { step_ref: "other", type: "approval" },
    ];
    const { run } = await bench.run(await bench.save(steps), { payload: { n: 7 } });
    await project.api.post(`/v1/workflow-runs/${run.id}/steps/other/reject`, {});
    await world.runUntilIdle();
    expect((await bench.read(run.id)).steps.ok).toMatchObject({ status: "canceled", message: "Pay 7?" });
  });

  it("is rendered again when the step is redone, and absent until then", async () => {
    const { post, step } = await waiting();
    await post("steps/ok/reject");
    await world.runUntilIdle();
    await post("steps/price/replay-subtree");
    expect(await step()).toMatchObject({ status: "pending", message: null });
    await world.runUntilIdle();
    expect(await step()).toMatchObject({ status: "waiting", generation: 2, message: "Pay 2 for 7?" });
  });

  it("is deleted with the run's data", async () => {
    const { path, post, all } = await waiting();
    await post("steps/ok/approve");
    await world.runUntilIdle();
    expect((await project.api.delete(`${path}/data`)).status).toBe(204);
    expect((await all()).flat()).toEqual([null, null, null, null]);
  });
});
