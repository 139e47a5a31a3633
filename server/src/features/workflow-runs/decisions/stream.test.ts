import { WorkflowRunState } from "@millrace/contract/workflows/workflow-runs";
import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { readStream } from "../../../../test/outside/read-stream.ts";
import { holdStep } from "../../../../test/seed/finish-step.ts";
import { seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { sendKeepalives } from "../../../platform/streams/event-stream.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

const follow = (project: TestProject, id: string, url = world.url) =>
  readStream(url, `/v1/workflow-runs/${id}/stream`, { authorization: `Bearer ${project.key}` });

type State = { run: { status: string }; steps: { step_ref: string; status: string }[] };
const statusOf = (step_ref: string, status: string) => (state: State) =>
  state.steps.some((step) => step.step_ref === step_ref && step.status === status);

describe("GET /v1/workflow-runs/{workflowRunID}/stream", () => {
  it("sends the run with its steps at once and at each change, and closes when it has ended", async () => {
    const project = await world.project();
    const bench = await workflowBench(world, project);
    const steps = [
      { step_ref: "ok", type: "approval" },
      { step_ref: "b", depends_on: ["ok"] },
    ];
    const { run } = await bench.run(await bench.save(steps));
    const stream = await follow(project, run.id);
    expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    const first = await stream.next("status");
    expect(first.run).toMatchObject({ id: run.id, status: "running" });
    expect(first.steps.map((step: State["steps"][number]) => [step.step_ref, step.status])).toEqual([
      ["ok", "waiting"],
      ["b", "pending"],
    ]);

    await project.api.post(`/v1/workflow-runs/${run.id}/steps/ok/approve`, {});
    await stream.next("status", statusOf("ok", "completed"));
    await world.runUntilIdle();
    const last = await stream.next("status", (state: State) => state.run.status === "completed");
    expect(statusOf("b", "completed")(last)).toBe(true);
    await stream.ended();
  });

  it("sends pause, resume, skip and cancel", async () => {
    const project = await world.project();
    const bench = await workflowBench(world, project);
    for (const ref of ["a", "b"]) holdStep(bench, ref);
    const { run } = await bench.run(await bench.save([{ step_ref: "a" }, { step_ref: "b" }]));
    const stream = await follow(project, run.id);
    for (const [verb, accept] of [
      ["pause", (state: State) => state.run.status === "paused"],
      ["resume", (state: State) => state.run.status === "running"],
      ["steps/a/skip", statusOf("a", "skipped")],
      ["cancel", (state: State) => state.run.status === "canceled"],
    ] as const) {
      await project.api.post(`/v1/workflow-runs/${run.id}/${verb}`);
      await stream.next("status", accept);
    }
    await stream.ended();
  });

  it("sends neither payload nor outputs: they would be repeated at each change", async () => {
    const project = await world.project();
    const steps = { a: { status: "completed", output: { large: true } } } as const;
    const id = await seedWorkflowRun(world.connection, project.id, { status: "completed", steps });
    const stream = await follow(project, id);
    const state = await stream.next("status");
    expect(state.run).not.toHaveProperty("payload");
    expect(state.steps[0]).not.toHaveProperty("output");
    const fields = (schema: unknown) => Object.keys((schema as { properties: object }).properties).toSorted();
    const { run, steps: list } = WorkflowRunState.properties as unknown as Record<string, { items?: object }>;
    expect(Object.keys(state.run).toSorted()).toEqual(fields(run));
    expect(Object.keys(state.steps[0]).toSorted()).toEqual(fields(list?.items));
  });

  it("sends the state of an ended run and closes at once", async () => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id, { status: "failed" });
    const stream = await follow(project, id);
    await stream.ended();
    expect(stream.events.map(({ event, data }) => [event, data.run.status])).toEqual([["status", "failed"]]);
  });

  it("sends a keepalive every 15 s", async () => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id);
    const stream = await follow(project, id);
    await stream.next("status");
    sendKeepalives(world.ctx);
    await stream.next("keepalive");
    stream.close();
  });

  it("sends changes made on another instance", async () => {
    const other = await world.anotherInstance();
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id);
    const stream = await follow(project, id, other.url);
    await stream.next("status");
    await project.api.post(`/v1/workflow-runs/${id}/pause`);
    await stream.next("status", (state: State) => state.run.status === "paused");
    stream.close();
  });

  it("A5 accepts ?token= instead of the header", async () => {
    const project = await world.project();
    const id = await seedWorkflowRun(world.connection, project.id, { status: "completed" });
    const stream = await readStream(world.url, `/v1/workflow-runs/${id}/stream?token=${project.key}`);
    expect(stream.status).toBe(200);
    await stream.next("status");
  });

  it("404 for a workflow run of another project, without a stream", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const id = await seedWorkflowRun(world.connection, other.id);
    const response = await project.api.get(`/v1/workflow-runs/${id}/stream`);
    expect(response).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
