import { beforeAll, describe, expect, it } from "vitest";
import { type SeedStep, seedWorkflow, seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { approvalStep, jobStep, sleepStep, waitStep } from "../../../test/seed/workflow-definition.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const START = "2030-01-01T00:00:00.000Z";
const at = (ms: number) => new Date(Date.parse(START) + ms).toISOString();
const took = (ms: number, from = 0): SeedStep => ({
  status: "completed",
  started_at: at(from),
  finished_at: at(from + ms),
});

/** Completed runs whose step `ref` took these durations, in the order they ran. */
async function history(workflow: Awaited<ReturnType<typeof seedWorkflow>>, ...runs: Record<string, number>[]) {
  const stepsOf = (run: Record<string, number>) => Object.entries(run).map(([ref, ms]) => [ref, took(ms)]);
  await Promise.all(runs.map((run) => ended(workflow, Object.fromEntries(stepsOf(run)))));
}

function ended(workflow: Awaited<ReturnType<typeof seedWorkflow>>, steps: Record<string, SeedStep>) {
  return seedWorkflowRun(world.connection, project.id, { workflow, status: "completed", steps });
}

async function graphOf(id: string) {
  const { status, body } = await project.api.get(`/v1/workflow-runs/${id}/graph`);
  expect(status).toBe(200);
  return body;
}

const nodeOf = (graph: { nodes: { step_ref: string }[] }, ref: string) =>
  graph.nodes.find((node) => node.step_ref === ref);

const ORDER = [
  jobStep("charge"),
  waitStep("paid", { depends_on: ["charge"] }),
  jobStep("pack", { depends_on: ["charge"] }),
  approvalStep("check", { depends_on: ["paid", "pack"] }),
  sleepStep("rest", { depends_on: ["check"] }),
];

describe("GET /v1/workflow-runs/{workflowRunID}/graph", () => {
  it("W12 shows the current state of the steps, their dependencies, and which could start now", async () => {
    const workflow = await seedWorkflow(world.connection, project.id, { steps: ORDER });
    const run_id = newId();
    await world.clock.set(at(10_000));
    const id = await seedWorkflowRun(world.connection, project.id, {
      workflow,
      steps: {
        charge: { ...took(2_000), run_id },
        paid: { status: "failed", started_at: at(2_000), finished_at: at(3_000), error: { code: "x", message: "no" } },
      },
    });
    const graph = await graphOf(id);
    expect(graph).toMatchObject({ workflow_run_id: id, workflow_id: workflow.id, version: 1, status: "running" });
    expect(graph.nodes.map((node: { step_ref: string }) => node.step_ref)).toEqual(ORDER.map((step) => step.step_ref));
    expect(graph.nodes[0]).toEqual({
      step_ref: "charge",
      type: "job",
      status: "completed",
      generation: 1,
      error: null,
      cause: null,
      cause_ref: null,
      run_id,
      event_trigger_id: null,
      message: null,
      compensation_status: null,
      compensation_run_id: null,
      compensation_error: null,
      compensated_at: null,
      started_at: at(0),
      finished_at: at(2_000),
      duration_ms: 2_000,
      estimate_ms: null,
    });
    expect(graph.nodes[1]).toMatchObject({ type: "wait_for_event", error: { code: "x", message: "no" } });
    expect(graph.nodes[3]).toMatchObject({ status: "pending", started_at: null, duration_ms: null });
    expect(graph.edges).toEqual([
      { from: "charge", to: "paid" },
      { from: "charge", to: "pack" },
      { from: "paid", to: "check" },
      { from: "pack", to: "check" },
      { from: "check", to: "rest" },
    ]);
    expect(graph.runnable).toEqual(["pack"]);
  });

  it("W12 estimates a step by the median of its completed runs in this version, at least five", async () => {
    const workflow = await seedWorkflow(world.connection, project.id, { steps: ORDER });
    await history(workflow, { charge: 10 }, { charge: 20 }, { charge: 70 }, { charge: 80 });
    const id = await seedWorkflowRun(world.connection, project.id, { workflow });
    expect(nodeOf(await graphOf(id), "charge")).toMatchObject({ estimate_ms: null });

    await history(workflow, { charge: 60 });
    expect(nodeOf(await graphOf(id), "charge")).toMatchObject({ estimate_ms: 60 });
    await history(workflow, { charge: 30 });
    expect(nodeOf(await graphOf(id), "charge")).toMatchObject({ estimate_ms: 45 });

    const other = await seedWorkflow(world.connection, project.id, { steps: ORDER });
    const elsewhere = await seedWorkflowRun(world.connection, project.id, { workflow: other });
    expect(nodeOf(await graphOf(elsewhere), "charge")).toMatchObject({ estimate_ms: null });
  });

  it("W12 uses only the last 100", async () => {
    const workflow = await seedWorkflow(world.connection, project.id, { steps: [jobStep("a")] });
    await history(workflow, ...Array.from({ length: 60 }, () => ({ a: 9_000 })));
    await history(workflow, ...Array.from({ length: 51 }, () => ({ a: 5 })));
    const id = await seedWorkflowRun(world.connection, project.id, { workflow });
    expect(nodeOf(await graphOf(id), "a")).toMatchObject({ estimate_ms: 5 });
  });

  it("W12 ignores failed, skipped and canceled steps", async () => {
    const workflow = await seedWorkflow(world.connection, project.id, { steps: [jobStep("a")] });
    await history(workflow, ...Array.from({ length: 5 }, () => ({ a: 5 })));
    const others = (["failed", "canceled", "skipped"] as const).map((status) => ({ a: { ...took(9_000), status } }));
    await Promise.all(others.flatMap((steps) => [ended(workflow, steps), ended(workflow, steps)]));
    const id = await seedWorkflowRun(world.connection, project.id, { workflow });
    expect(nodeOf(await graphOf(id), "a")).toMatchObject({ estimate_ms: 5 });
  });

  it("W12 shows the estimated critical path with the remaining time, and after the end the actual one", async () => {
    const workflow = await seedWorkflow(world.connection, project.id, { steps: ORDER });
    const usual = { charge: 1_000, paid: 8_000, pack: 2_000, check: 3_000, rest: 500 };
    await history(workflow, ...Array.from({ length: 5 }, () => usual));
    await world.clock.set(at(4_000));
    const waiting = { status: "waiting", started_at: at(1_000) } as const;
    const id = await seedWorkflowRun(world.connection, project.id, {
      workflow,
      steps: { charge: took(1_000), paid: waiting, pack: took(2_000, 1_000) },
    });
    const { critical_path, runnable } = await graphOf(id);
    expect(runnable).toEqual([]);
    expect(critical_path).toEqual({
      basis: "estimates",
      step_refs: ["charge", "paid", "check", "rest"],
      estimate_ms: 12_500,
      remaining_ms: 8_500,
      unestimated: [],
    });

    const ended = await seedWorkflowRun(world.connection, project.id, {
      workflow,
      status: "completed",
      steps: {
        charge: took(1_000),
        paid: took(100, 1_000),
        pack: took(6_000, 1_000),
        check: took(50, 7_000),
        rest: took(500, 7_050),
      },
    });
    expect((await graphOf(ended)).critical_path).toEqual({
      basis: "durations",
      step_refs: ["charge", "pack", "check", "rest"],
      estimate_ms: 7_550,
      remaining_ms: 0,
      unestimated: [],
    });
  });

  it("W12 without a history it shows no length, but the steps without an estimate", async () => {
    const id = await seedWorkflowRun(world.connection, project.id);
    expect((await graphOf(id)).critical_path).toEqual({
      basis: "estimates",
      step_refs: ["a", "b"],
      estimate_ms: null,
      remaining_ms: null,
      unestimated: ["a", "b"],
    });
  });

  it("nothing is runnable in an ended run", async () => {
    const id = await seedWorkflowRun(world.connection, project.id, { status: "canceled" });
    expect(await graphOf(id)).toMatchObject({ status: "canceled", runnable: [] });
  });

  it("404 for an unknown run, for another project's, and for one in an environment the key cannot see", async () => {
    const id = await seedWorkflowRun(world.connection, project.id);
    expect((await project.api.get(`/v1/workflow-runs/${newId()}/graph`)).status).toBe(404);
    const { api } = await world.project();
    expect((await api.get(`/v1/workflow-runs/${id}/graph`)).status).toBe(404);
    const { body } = await project.api.get("/v1/environments");
    const staging = body.data.find((environment: { slug: string }) => environment.slug === "staging");
    const key = await project.newKey({ environment_id: staging.id });
    expect((await key.api.get(`/v1/workflow-runs/${id}/graph`)).status).toBe(404);
    const without = await project.newKey({ scopes: ["runs:read"] });
    expect((await without.api.get(`/v1/workflow-runs/${id}/graph`)).status).toBe(403);
  });
});
