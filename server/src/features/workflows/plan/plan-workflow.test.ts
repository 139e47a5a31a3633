import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../../test/seed/make-workflow.ts";
import { seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

const sleep = (step_ref: string, ...depends_on: string[]) => ({ ...REST, step_ref, depends_on });
const DIAMOND = [sleep("end", "left", "right"), sleep("left", "root"), sleep("right", "root"), sleep("root")];

type Made = Awaited<ReturnType<typeof makeWorkflow>>;

/** Completed runs of the current version whose steps took this many seconds. */
async function history(workflow: Made, count: number, secs: Record<string, number>): Promise<void> {
  const took = (ms: number) => ({
    status: "completed" as const,
    started_at: "2030-01-01T00:00:00.000Z",
    finished_at: new Date(Date.parse("2030-01-01T00:00:00.000Z") + ms).toISOString(),
  });
  const steps = Object.fromEntries(Object.entries(secs).map(([ref, s]) => [ref, took(s * 1_000)]));
  for (let nth = 0; nth < count; nth++) {
    await seedWorkflowRun(world.connection, project.id, { workflow, status: "completed", steps });
  }
}

async function plan(workflow: Made, body: object = {}) {
  const response = await project.api.post(`${workflow.path}/plan`, body);
  expect(response.status, response.text).toBe(200);
  return response.body;
}

const estimatesOf = (body: { steps: { step_ref: string; estimate_ms: number | null }[] }) =>
  Object.fromEntries(body.steps.map((step) => [step.step_ref, step.estimate_ms]));

describe("POST /v1/workflows/{workflowID}/plan", () => {
  it("W9 shows the waves and the order of the current version", async () => {
    const workflow = await makeWorkflow(project, { steps: DIAMOND });
    const body = await plan(workflow);
    expect(body).toMatchObject({
      workflow_id: workflow.id,
      version_id: workflow.version_id,
      version: 1,
      is_overridden: false,
      is_valid: true,
      step_count: 4,
      waves: [["root"], ["left", "right"], ["end"]],
      order: ["root", "left", "right", "end"],
      policy_violations: [],
      issues: [],
    });
    expect(body.steps[0]).toEqual({
      step_ref: "end",
      type: "sleep",
      depends_on: ["left", "right"],
      wave: 3,
      estimate_ms: null,
    });
  });

  it("W9 estimates each step and the critical path from past durations in this version", async () => {
    const workflow = await makeWorkflow(project, { steps: DIAMOND });
    await history(workflow, 5, { root: 1, left: 2, right: 7, end: 3 });
    const body = await plan(workflow);
    expect(estimatesOf(body)).toEqual({ root: 1_000, left: 2_000, right: 7_000, end: 3_000 });
    const step_refs = ["root", "right", "end"];
    expect(body.critical_path).toEqual({ step_refs, estimate_ms: 11_000, unestimated: [] });
  });

  it("W9 shows no length of the critical path while a step has fewer than 5 completed runs", async () => {
    const workflow = await makeWorkflow(project, { steps: DIAMOND });
    await history(workflow, 4, { left: 2 });
    await history(workflow, 5, { root: 1, right: 7, end: 3 });
    const body = await plan(workflow);
    expect(estimatesOf(body).left).toBeNull();
    expect(body.critical_path).toMatchObject({ estimate_ms: null, unestimated: ["left"] });
  });

  it("W9 plans other steps instead of the current ones, and changes nothing", async () => {
    const workflow = await makeWorkflow(project, { steps: DIAMOND });
    const body = await plan(workflow, { steps: [sleep("b", "a"), sleep("a")] });
    expect(body).toMatchObject({ is_overridden: true, step_count: 2, waves: [["a"], ["b"]], is_valid: true });
    expect((await project.api.get(workflow.path)).body).toMatchObject({ version: 1, steps: workflow.steps });
  });

  it("W9 merges overrides into the steps they name; a step that does the same keeps its estimate", async () => {
    const workflow = await makeWorkflow(project, { steps: DIAMOND });
    await history(workflow, 5, { root: 1, left: 2, right: 7, end: 3 });
    const step_overrides = [
      { step_ref: "right", depends_on: ["left"] },
      { step_ref: "end", sleep_duration: "5m" },
    ];
    const body = await plan(workflow, { step_overrides });
    expect(body.waves).toEqual([["root"], ["left"], ["right"], ["end"]]);
    expect(estimatesOf(body)).toEqual({ root: 1_000, left: 2_000, right: 7_000, end: null });
    expect(body.critical_path.unestimated).toEqual(["end"]);
  });

  it("W9 lets an override change a step's type", async () => {
    const job = await makeJob(project);
    const workflow = await makeWorkflow(project, { steps: DIAMOND });
    const body = await plan(workflow, { step_overrides: [{ step_ref: "left", type: "job", job_id: job.slug }] });
    expect([body.is_valid, body.steps[1].type, body.steps[1].depends_on]).toEqual([true, "job", ["root"]]);
  });

  it("W9 returns issues instead of rejecting: a cycle is in no wave and has no path", async () => {
    const workflow = await makeWorkflow(project, { steps: DIAMOND });
    const step_overrides = [
      { step_ref: "root", depends_on: ["end"] },
      { step_ref: "nobody", depends_on: [] },
    ];
    const body = await plan(workflow, { steps: [...DIAMOND, sleep("alone")], step_overrides });
    expect(body).toMatchObject({ is_valid: false, waves: [["alone"]], order: ["alone"], critical_path: null });
    expect(body.steps[0].wave).toBeNull();
    expect(body.issues.map((issue: { location: string }) => issue.location)).toEqual([
      "body.step_overrides[1].step_ref",
      "body.step_overrides[0].depends_on[0]",
    ]);
  });

  it("W9 locates each issue in the request, or in the version if it is only there", async () => {
    const steps = [...DIAMOND, { ...sleep("last", "end"), condition: "steps.right.status == 'completed'" }];
    const workflow = await makeWorkflow(project, { steps });
    const step_overrides = [
      { step_ref: "end", depends_on: ["left"], condition: "oops(" },
      { step_ref: "left", type: "job", payload: "{{env.A}}" },
      { step_ref: "root", depends_on: ["left"] },
    ];
    const locationsOf = async (body: object) =>
      (await plan(workflow, body)).issues.map((issue: { location: string }) => issue.location);
    const locations = [
      "body.step_overrides[0].condition",
      "body.step_overrides[1].job_id",
      "body.step_overrides[1].payload",
      "body.step_overrides[2].depends_on[0]",
    ];
    expect(await locationsOf({ step_overrides })).toEqual(locations);
    const early = { step_overrides: [{ step_ref: "end", depends_on: ["left"] }] };
    expect(await locationsOf(early)).toEqual(["version.steps[4].condition"]);
    expect(await locationsOf({ steps, ...early })).toEqual(["body.steps[4].condition"]);
    const bad = steps.map((step) => ({ ...step, condition: "oops(" }));
    expect(await locationsOf({ steps: bad, step_overrides: [{ step_ref: "root", sleep_duration: "1x" }] })).toEqual([
      ...[0, 1, 2].map((place) => `body.steps[${place}].condition`),
      "body.step_overrides[0].sleep_duration",
      ...[3, 4].map((place) => `body.steps[${place}].condition`),
    ]);
  });

  it("W9 W11 reports what the policy forbids, of the current version too", async () => {
    const strict = await world.project();
    const workflow = await makeWorkflow(strict, { steps: DIAMOND });
    await strict.api.put(`/v1/workflow-policies/${strict.id}`, { max_depth: 2 });
    const { body } = await strict.api.post(`${workflow.path}/plan`, {});
    expect([body.is_valid, body.issues]).toEqual([false, []]);
    expect(body.policy_violations).toMatchObject([{ location: "version.steps[0].depends_on", value: "end" }]);
  });

  it("W9 plans another version on request, and rejects one of another workflow", async () => {
    const workflow = await makeWorkflow(project, { steps: DIAMOND });
    await project.api.patch(workflow.path, { steps: [REST] });
    expect(await plan(workflow, { version_id: workflow.version_id })).toMatchObject({ version: 1, step_count: 4 });
    const refused = await project.api.post(`${workflow.path}/plan`, { version_id: newId() });
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.version_id"]);
  });

  it("A2 A11 404 for another project's; requires only workflows:read", async () => {
    const { path } = await makeWorkflow(project);
    expect((await (await world.project()).api.post(`${path}/plan`, {})).status).toBe(404);
    const reader = await project.newKey({ scopes: ["workflows:read"] });
    expect((await reader.api.post(`${path}/plan`, {})).status).toBe(200);
    const other = await project.newKey({ scopes: ["jobs:read"] });
    expect((await other.api.post(`${path}/plan`, {})).body.code).toBe("scope_missing");
  });
});

describe("POST /v1/workflows/{workflowID}/simulate", () => {
  const branching = async (fields: object = {}) => {
    const job = await makeJob(project);
    return makeWorkflow(project, {
      steps: [
        { step_ref: "charge", job_id: job.id },
        { step_ref: "check", job_id: job.id, depends_on: ["charge"], condition: "payload.total > 100" },
        { step_ref: "gift", job_id: job.id, depends_on: ["check"], condition: "parent_outputs.charge.vip" },
      ],
      ...fields,
    });
  };

  it("W9 returns predicted_order and step_count of the current version", async () => {
    const workflow = await makeWorkflow(project, { steps: DIAMOND });
    const { status, body } = await project.api.post(`${workflow.path}/simulate`);
    expect([status, body.predicted_order, body.step_count, body.branches]).toEqual([
      200,
      ["root", "left", "right", "end"],
      4,
      null,
    ]);
  });

  it("W9 with a payload and assumed outputs returns the branches taken, and starts nothing", async () => {
    const { path, id } = await branching();
    const simulate = async (body: object) => (await project.api.post(`${path}/simulate`, body)).body.branches;
    const outcomes = { charge: { output: { vip: true } } };
    expect(await simulate({ payload: { total: 200 }, outcomes })).toMatchObject({
      status: "completed",
      order: ["charge", "check", "gift"],
    });
    const cheap = await simulate({ payload: { total: 5 }, outcomes });
    expect(cheap.order).toEqual(["charge", "gift"]);
    expect(cheap.steps[1]).toMatchObject({
      step_ref: "check",
      status: "skipped",
      cause: "condition",
      condition: false,
    });
    const failed = await simulate({ payload: { total: 5 }, outcomes: { charge: { status: "failed" } } });
    expect([failed.status, failed.order]).toEqual(["failed", ["charge"]]);
    const runs = await runSql(world.connection, "select 1 from workflow_runs where workflow_id = $1", [id]);
    expect(runs).toEqual([]);
  });

  it("simulates given steps instead of those of the version, and rejects those that could not be saved", async () => {
    const { path } = await branching();
    const simulate = (steps: object[]) => project.api.post(`${path}/simulate`, { payload: {}, steps });
    const { body } = await simulate([sleep("a"), { ...sleep("b", "a"), condition: "1 > 2" }]);
    expect([body.predicted_order, body.branches.order]).toEqual([["a", "b"], ["a"]]);
    const refused = await simulate([sleep("a", "gone")]);
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.steps[0].depends_on[0]"]);
  });

  it("W9 accepts null as a payload", async () => {
    const { path } = await makeWorkflow(project);
    const { body } = await project.api.post(`${path}/simulate`, { payload: null });
    expect(body.branches).toMatchObject({ status: "completed", order: ["rest"] });
  });

  it("W9 rejects a payload that a trigger would reject, outcomes of unknown steps, and a version of another workflow", async () => {
    const { path } = await branching({ payload_schema: { type: "object", required: ["total"] } });
    const ask = async (body: object) => {
      const response = await project.api.post(`${path}/simulate`, body);
      return [response.status, response.body.code, response.body.errors[0].location];
    };
    expect(await ask({ payload: {} })).toEqual([422, "payload_invalid", "body.payload.total"]);
    expect(await ask({ outcomes: { nobody: {} } })).toEqual([422, "validation_failed", "body.outcomes.nobody"]);
    expect(await ask({ version_id: newId() })).toEqual([422, "validation_failed", "body.version_id"]);
  });

  it("W9 predicts what the run does", async () => {
    const { path } = await makeWorkflow(project, {
      steps: [
        sleep("a"),
        { ...sleep("b", "a"), condition: "payload.b" },
        { ...sleep("c", "a"), condition: "!payload.b" },
      ],
    });
    const payload = { b: false };
    const { body } = await project.api.post(`${path}/simulate`, { payload });
    const run = await project.api.post(`${path}/trigger`, { payload });
    await world.clock.pass("3h");
    await world.runUntilIdle();
    await world.clock.pass("3h");
    await world.runUntilIdle();
    const steps = (await project.api.get(`/v1/workflow-runs/${run.body.id}/steps`)).body.data;
    const outcomes = (of: { step_ref: string; status: string; cause: string | null }[]) =>
      of.map(({ step_ref, status, cause }) => [step_ref, status, cause]);
    expect(outcomes(steps)).toEqual(outcomes(body.branches.steps));
    expect(outcomes(steps)[1]).toEqual(["b", "skipped", "condition"]);
  });
});
