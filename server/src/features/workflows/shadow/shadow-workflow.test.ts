import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../../test/seed/make-workflow.ts";
import { seedRun } from "../../../../test/seed/seed-run.ts";
import { type SeedStep, seedWorkflow, seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { jobStep, sleepStep } from "../../../../test/seed/workflow-definition.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const SKIP_SMALL = {
  step_ref: "b",
  type: "sleep",
  sleep_duration: "30s",
  depends_on: ["a"],
  condition: "payload.total > 10",
} as const;
const A = { step_ref: "a", type: "sleep", sleep_duration: "30s" } as const;

/** Two sleeps in sequence, and a way to add runs that took them. */
async function twoSleeps(owner = project) {
  const steps = [sleepStep("a"), sleepStep("b", { depends_on: ["a"] })];
  const workflow = await seedWorkflow(world.connection, owner.id, { steps });
  const done: SeedStep = { status: "completed" };
  const ended = (payload: object, fields: object = {}) =>
    seedWorkflowRun(world.connection, owner.id, {
      workflow,
      status: "completed",
      payload,
      steps: { a: done, b: done },
      ...fields,
    });
  return { workflow, ended, path: `/v1/workflows/${workflow.id}/shadow` };
}

async function countRows(): Promise<unknown> {
  const tables = [
    "workflow_versions",
    "workflow_runs",
    "step_runs",
    "workflow_decisions",
    "runs",
    "outbox",
    "audit_events",
  ];
  const counts = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  return (await runSql(world.connection, `select ${counts.join(", ")}`))[0];
}

describe("POST /v1/workflows/{workflowID}/shadow", () => {
  it("shows no difference for the runs' own version, by number, by id and by default", async () => {
    const { workflow, ended, path } = await twoSleeps();
    for (const total of [5, 50]) await ended({ total });
    for (const body of [{}, { version: 1 }, { version: workflow.version_id }]) {
      const response = await project.api.post(path, body);
      expect(response.status, response.text).toBe(200);
      expect(response.body).toMatchObject({
        workflow_id: workflow.id,
        version_id: workflow.version_id,
        version: 1,
        runs: 2,
        differing: 0,
        results: [],
        left_out: 0,
      });
      expect(response.body.duration.change_ms).toBe(0);
    }
  });

  it("lists every differing decision per run, sums them by kind and by step, and writes nothing", async () => {
    const { ended, path } = await twoSleeps();
    const small = await ended({ total: 5 });
    await ended({ total: 50 });
    const added = { step_ref: "c", type: "sleep", sleep_duration: "1m", depends_on: ["b"] };
    const before = await countRows();
    const response = await project.api.post(path, { steps: [A, SKIP_SMALL, added] });
    expect(response.status, response.text).toBe(200);
    expect(await countRows()).toEqual(before);
    expect(response.body).toMatchObject({ version_id: null, version: null, runs: 2, differing: 2, unestimated: [] });
    expect(response.body.counts).toEqual({
      ran_to_skipped: 1,
      skipped_to_ran: 0,
      step_added: 2,
      step_missing: 0,
      other_outcome: 0,
      end_status: 0,
    });
    expect(response.body.steps).toMatchObject([
      { step_ref: "b", ran_to_skipped: 1, assumed: 0 },
      { step_ref: "c", step_added: 2, assumed: 2 },
    ]);
    const [, oldest] = response.body.results;
    expect(oldest).toMatchObject({ workflow_run_id: small, capsule_id: null, version: 1, assumed: ["c"] });
    expect(oldest.differences).toEqual([
      {
        step_ref: "b",
        kind: "ran_to_skipped",
        was: "completed",
        is: "skipped",
        reason: "condition `payload.total > 10` is false",
      },
      { step_ref: "c", kind: "step_added", was: null, is: "completed", reason: "b is done" },
    ]);
  });

  it("reports a missing step and a different end status", async () => {
    const steps = [jobStep("a"), jobStep("b", { depends_on: ["a"] })];
    const workflow = await seedWorkflow(world.connection, project.id, { steps });
    await seedWorkflowRun(world.connection, project.id, {
      workflow,
      status: "failed",
      steps: {
        a: { status: "completed" },
        b: { status: "failed", error: { code: "boom", message: "no" }, run_id: newId() },
      },
    });
    const job = await makeJob(project);
    const candidate = [{ step_ref: "a", job_id: job.id }];
    const response = await project.api.post(`/v1/workflows/${workflow.id}/shadow`, { steps: candidate });
    expect(response.body.results[0]).toMatchObject({ status: "failed", replayed_status: "completed" });
    expect(response.body.counts).toMatchObject({ step_missing: 1, end_status: 1 });
    expect(response.body.results[0].differences).toContainEqual({
      step_ref: null,
      kind: "end_status",
      was: "failed",
      is: "completed",
      reason: "every step is done",
    });
  });

  it("reads the outputs that the candidate needs", async () => {
    const { ended, path } = await twoSleeps();
    const steps = (ok: boolean) => ({ a: { status: "completed", output: { ok } }, b: { status: "completed" } });
    await ended({}, { steps: steps(true) });
    const flipped = await ended({}, { steps: steps(false) });
    const candidate = [A, { ...SKIP_SMALL, condition: "parent_outputs.a.ok" }];
    const response = await project.api.post(path, { steps: candidate });
    expect(response.body).toMatchObject({ differing: 1, results: [{ workflow_run_id: flipped }] });
  });

  it("estimates the change of duration by the longest path, and of cost by the runs' cost", async () => {
    const steps = [jobStep("a"), jobStep("b", { depends_on: ["a"] })];
    const workflow = await seedWorkflow(world.connection, project.id, { steps });
    const took = async (cost: number, ms: number) => {
      const run_id = await seedRun(world.connection, project.id, { status: "completed" });
      await runSql(world.connection, "update runs set cost_microusd = $2 where id = $1", [run_id, cost]);
      const finished_at = new Date(Date.UTC(2030, 0, 1) + ms).toISOString();
      return { status: "completed", run_id, started_at: "2030-01-01T00:00:00.000Z", finished_at } as const;
    };
    await seedWorkflowRun(world.connection, project.id, {
      workflow,
      status: "completed",
      payload: { total: 5 },
      steps: { a: await took(100, 1_000), b: await took(30, 5_000) },
    });
    const job = await makeJob(project);
    const a = { step_ref: "a", job_id: job.id };
    const b = { step_ref: "b", job_id: job.id, depends_on: ["a"], condition: "payload.total > 10" };
    const response = await project.api.post(`/v1/workflows/${workflow.id}/shadow`, { steps: [a, b] });
    expect(response.body.duration).toEqual({ recorded_ms: 6_000, replayed_ms: 1_000, change_ms: -5_000 });
    expect(response.body.cost).toEqual({ recorded_microusd: 130, replayed_microusd: 100, change_microusd: -30 });
    const longer = [a, { ...b, condition: null }, { step_ref: "new", job_id: job.id, depends_on: ["b"] }];
    const more = await project.api.post(`/v1/workflows/${workflow.id}/shadow`, { steps: longer });
    expect(more.body).toMatchObject({ unestimated: ["new"], duration: { change_ms: 0 }, cost: { change_microusd: 0 } });
  });

  it("uses the newest ended runs of the workflow, up to `last`, or the named ones", async () => {
    const { ended, path, workflow } = await twoSleeps();
    const first = await ended({ total: 5 });
    const ids = [await ended({ total: 5 }), await ended({ total: 5 })];
    await seedWorkflowRun(world.connection, project.id, { workflow, status: "running" });
    const listed = async (body: object) => {
      const response = await project.api.post(path, { steps: [A, SKIP_SMALL], ...body });
      expect(response.status, response.text).toBe(200);
      return response.body.results.map((each: { workflow_run_id: string }) => each.workflow_run_id);
    };
    expect(await listed({})).toEqual([...ids.toReversed(), first]);
    expect(await listed({ last: 2 })).toEqual(ids.toReversed());
    expect(await listed({ workflow_run_ids: [first] })).toEqual([first]);
  });

  it("lists up to `limit` differing runs, and says how many it left out", async () => {
    const { ended, path } = await twoSleeps();
    for (let nth = 0; nth < 3; nth++) await ended({ total: 5 });
    const response = await project.api.post(path, { steps: [A, SKIP_SMALL], limit: 1 });
    expect(response.body.results).toHaveLength(1);
    expect(response.body).toMatchObject({ runs: 3, differing: 3, left_out: 2, counts: { ran_to_skipped: 3 } });
  });

  it("validates steps like a save, with their locations", async () => {
    const { path } = await twoSleeps();
    const response = await project.api.post(path, {
      steps: [
        { ...A, depends_on: ["nobody"] },
        { step_ref: "j", job_id: newId() },
      ],
    });
    expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
    expect(response.body.errors.map((each: { location: string }) => each.location)).toEqual([
      "body.steps[0].depends_on[0]",
      "body.steps[1].job_id",
    ]);
  });

  it("applies the project's policy to steps, like a save", async () => {
    const owner = await world.project();
    const { path } = await twoSleeps(owner);
    await owner.api.put(`/v1/workflow-policies/${owner.id}`, { max_steps: 1 });
    const response = await owner.api.post(path, { steps: [A, SKIP_SMALL] });
    expect([response.status, response.body.code]).toEqual([422, "policy_violated"]);
  });

  it("rejects contradictory fields, and unknown versions, runs and capsules, with the location", async () => {
    const { path, ended } = await twoSleeps();
    const id = await ended({});
    const other = await (await twoSleeps()).ended({});
    const foreign = await (await twoSleeps(await world.project())).ended({});
    const live = await seedWorkflowRun(world.connection, project.id, { status: "running" });
    const cases: [object, string][] = [
      [{ version: 9 }, "body.version"],
      [{ version: newId() }, "body.version"],
      [{ version: 1, steps: [REST] }, "body.steps"],
      [{ last: 5, workflow_run_ids: [id] }, "body.last"],
      [{ last: 0 }, "body.last"],
      [{ last: 1_001 }, "body.last"],
      ...[other, foreign, live, newId()].map((wrong): [object, string] => [
        { workflow_run_ids: [id, wrong] },
        "body.workflow_run_ids[1]",
      ]),
      [{ capsule_ids: [newId()] }, "body.capsule_ids[0]"],
    ];
    for (const [body, location] of cases) {
      const response = await project.api.post(path, body);
      expect([response.status, response.body.errors?.[0]?.location], JSON.stringify(body)).toEqual([422, location]);
    }
  });

  it("shows a key bound to an environment only that environment's runs, and requires workflows:read", async () => {
    const { path, ended } = await twoSleeps();
    const [staging] = await runSql<{ id: string }>(
      world.connection,
      "select id from environments where project_id = $1 and slug = 'staging'",
      [project.id],
    );
    await ended({});
    await ended({}, { environment_id: staging?.id });
    const bound = await project.newKey({ environment_id: staging?.id, scopes: ["workflows:read"] });
    expect((await bound.api.post(path, {})).body.runs).toBe(1);
    expect((await project.api.post(path, {})).body.runs).toBe(2);
    const other = await project.newKey({ scopes: ["jobs:read"] });
    expect((await other.api.post(path, {})).status).toBe(403);
  });

  it("accepts a version that is newer than the current one", async () => {
    const workflow = await makeWorkflow(project, { steps: [A] });
    await project.api.patch(workflow.path, { steps: [A, SKIP_SMALL] });
    const response = await project.api.post(`${workflow.path}/shadow`, {});
    expect(response.body).toMatchObject({ version: 2, runs: 0, differing: 0 });
    expect((await project.api.post(`${workflow.path}/shadow`, { version: 1 })).body.version).toBe(1);
  });
});
