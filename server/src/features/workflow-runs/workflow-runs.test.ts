import { beforeAll, describe, expect, it } from "vitest";
import { seedWorkflow, seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { jobStep } from "../../../test/seed/workflow-definition.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const seed = (project: TestProject, run: Parameters<typeof seedWorkflowRun>[2] = {}) =>
  seedWorkflowRun(world.connection, project.id, run);

async function listed(project: TestProject, query: string): Promise<string[]> {
  const { status, body, text } = await project.api.get(`/v1/workflow-runs?${query}`);
  if (status !== 200) throw new Error(text);
  return body.data.map((run: { id: string }) => run.id);
}

describe("GET /v1/workflow-runs", () => {
  it("distinguishes runs of two keys with the same name, in each run and by created_by", async () => {
    const project = await world.project();
    const workflow = await seedWorkflow(world.connection, project.id);
    const keys = [await project.newKey({ name: "twin" }), await project.newKey({ name: "twin" })];
    for (const { id, api } of keys) {
      const { body } = await api.post(`/v1/workflows/${workflow.id}/trigger`, {});
      expect(body).toMatchObject({ created_by: "twin", created_by_id: id });
      expect(await listed(project, `created_by=${id}`)).toEqual([body.id]);
    }
    expect(await listed(project, "created_by=twin")).toHaveLength(2);
  });

  it("lists the project's runs, newest first", async () => {
    const project = await world.project();
    const first = await seed(project);
    const second = await seed(project);
    await seed(await world.project());
    expect(await listed(project, "")).toEqual([second, first]);
    expect(await listed(project, "order=asc")).toEqual([first, second]);
  });

  it("filters by workflow, by id or slug", async () => {
    const project = await world.project();
    const workflow = await seedWorkflow(world.connection, project.id, { slug: "ship" });
    const id = await seed(project, { workflow });
    await seed(project);
    expect(await listed(project, `workflow_id=${workflow.id}`)).toEqual([id]);
    expect(await listed(project, "workflow_id=ship")).toEqual([id]);
  });

  it("filters by status, several separated by commas", async () => {
    const project = await world.project();
    const running = await seed(project);
    const paused = await seed(project, { status: "paused" });
    const failed = await seed(project, { status: "failed" });
    expect(await listed(project, "status=running")).toEqual([running]);
    expect(await listed(project, "status=running,paused")).toEqual([paused, running]);
    expect(await listed(project, "status=failed,paused")).toEqual([failed, paused]);
    const unknown = await project.api.get("/v1/workflow-runs?status=waiting");
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ location: "query.status" }] } });
    expect(unknown.body.errors[0].message).toMatch(/^must be one of pending, running, .*canceled, or several of them/);
  });

  it("filters by trigger type, tag, schedule and batch", async () => {
    const project = await world.project();
    const [schedule_id, batch_id] = [newId(), newId()];
    const id = await seed(project, { trigger_type: "cron", tags: { region: "eu:west" }, schedule_id, batch_id });
    await seed(project, { tags: { region: "us" } });
    const filters = ["trigger_type=cron", "tag=region:eu:west", `schedule_id=${schedule_id}`, `batch_id=${batch_id}`];
    for (const filter of filters) expect([filter, await listed(project, filter)]).toEqual([filter, [id]]);
    expect(await listed(project, "tag=region")).toHaveLength(2);
  });

  it("R7 filters by creator, environment and payload content, and distinguishes numbers from strings", async () => {
    const project = await world.project();
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const id = await seed(project, { payload: { user: { id: 42 } }, environment_id: staging });
    const other = await seed(project, { payload: { user: { id: "42" } } });
    const containing = (value: unknown) =>
      listed(project, `payload_contains=${encodeURIComponent(JSON.stringify(value))}`);
    expect(await containing({ user: { id: 42 } })).toEqual([id]);
    expect(await containing({ user: { id: "42" } })).toEqual([other]);
    expect(await containing({ user: {} })).toEqual([other, id]);
    expect(await listed(project, "environment_id=staging")).toEqual([id]);
    expect(await listed(project, `environment_id=${staging}`)).toEqual([id]);
    expect(await listed(project, "created_by=seed")).toEqual([other, id]);
    expect(await listed(project, "created_by=nobody")).toEqual([]);
    const bad = await project.api.get("/v1/workflow-runs?payload_contains={a");
    expect(bad).toMatchObject({ status: 422, body: { errors: [{ location: "query.payload_contains" }] } });
  });

  it("filters by creation time", async () => {
    const project = await world.project();
    const early = await seed(project, { created_at: "2030-01-01T00:00:00Z" });
    const late = await seed(project, { created_at: "2030-01-02T00:00:00Z" });
    expect(await listed(project, "from=2030-01-02T00:00:00Z")).toEqual([late]);
    expect(await listed(project, "to=2030-01-02T00:00:00Z")).toEqual([early]);
    expect(await listed(project, "from=2030-01-01T00:00:00Z&to=2030-01-03T00:00:00Z")).toEqual([late, early]);
  });

  it("O6 continues after the previous page with its cursor, and rejects any other cursor", async () => {
    const project = await world.project();
    const ids = [await seed(project), await seed(project), await seed(project)].toReversed();
    const { body: first } = await project.api.get("/v1/workflow-runs?limit=2");
    expect(first).toMatchObject({ has_more: true, data: [{ id: ids[0] }, { id: ids[1] }] });
    const { body: second } = await project.api.get(`/v1/workflow-runs?limit=2&cursor=${first.next_cursor}`);
    expect(second).toMatchObject({ has_more: false, next_cursor: null, data: [{ id: ids[2] }] });
    const other = await project.api.get(`/v1/workflow-runs?status=running&cursor=${first.next_cursor}`);
    expect(other).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
  });
});

describe("GET /v1/workflow-runs/{workflowRunID}", () => {
  it("returns the workflow run with every field", async () => {
    const project = await world.project();
    const id = await seed(project, { payload: { order: 7 }, tags: { a: "b" }, timeout_secs: 60 });
    const { status, body } = await project.api.get(`/v1/workflow-runs/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      project_id: project.id,
      status: "running",
      phase: null,
      version: 1,
      payload: { order: 7 },
      tags: { a: "b" },
      metadata: {},
      error: null,
      error_count: 0,
      trigger_type: "api",
      created_by: "seed",
      timeout_secs: 60,
      finished_at: null,
    });
    expect(body.$schema).toMatch(/\/schemas\/WorkflowRun\.json$/);
  });

  it("404 for another project's, another environment's and unknown ids", async () => {
    const project = await world.project();
    const foreign = await seed(await world.project());
    const { body } = await project.api.get("/v1/environments");
    const staging = body.data.find((environment: { slug: string }) => environment.slug === "staging");
    const { api } = await project.newKey({ environment_id: staging.id });
    const own = await seed(project);
    const asked = [
      await project.api.get(`/v1/workflow-runs/${foreign}`),
      await api.get(`/v1/workflow-runs/${own}`),
      await project.api.get(`/v1/workflow-runs/${newId()}`),
      await project.api.get("/v1/workflow-runs/nonsense"),
    ];
    for (const response of asked) expect(response).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await api.get("/v1/workflow-runs")).body.data).toEqual([]);
  });
});

describe("GET /v1/workflow-runs/{workflowRunID}/steps", () => {
  it("lists the steps in definition order, in pages", async () => {
    const project = await world.project();
    const steps = ["z", "m", "a", "k"].map((ref) => jobStep(ref));
    const workflow = await seedWorkflow(world.connection, project.id, { steps });
    const id = await seed(project, { workflow });
    const at = `/v1/workflow-runs/${id}/steps`;
    const refs = (body: { data: { step_ref: string }[] }) => body.data.map((step) => step.step_ref).join("");
    const { body: first } = await project.api.get(`${at}?limit=3`);
    const { body: second } = await project.api.get(`${at}?limit=3&cursor=${first.next_cursor}`);
    expect([refs(first), first.has_more, refs(second), second.has_more]).toEqual(["zma", true, "k", false]);
    expect(refs((await project.api.get(`${at}?order=desc`)).body)).toBe("kamz");
  });

  it("returns the same step ids as GET of a single step", async () => {
    const project = await world.project();
    const id = await seed(project);
    const { body } = await project.api.get(`/v1/workflow-runs/${id}/steps`);
    const { body: step } = await project.api.get(`/v1/workflow-runs/${id}/steps/a`);
    expect(body.data[0].id).toBe(step.id);
  });

  it("404 for a workflow run of another project", async () => {
    const project = await world.project();
    const foreign = await seed(await world.project());
    expect((await project.api.get(`/v1/workflow-runs/${foreign}/steps`)).status).toBe(404);
  });
});

describe("GET /v1/workflow-runs/{workflowRunID}/steps/{stepRef}", () => {
  it("returns the step with every field", async () => {
    const project = await world.project();
    const error = { code: "http_500", message: "It broke." };
    const id = await seed(project, { steps: { a: { status: "failed", error } } });
    const { status, body } = await project.api.get(`/v1/workflow-runs/${id}/steps/a`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      workflow_run_id: id,
      step_ref: "a",
      type: "job",
      status: "failed",
      generation: 1,
      output: null,
      error,
      cause: null,
      cause_ref: null,
      run_id: null,
      event_trigger_id: null,
      message: null,
    });
    expect(body.$schema).toMatch(/\/schemas\/StepRun\.json$/);
  });

  it("404 for an unknown step, and for any step of another project's workflow run", async () => {
    const project = await world.project();
    const own = await seed(project);
    const foreign = await seed(await world.project());
    const absent = await project.api.get(`/v1/workflow-runs/${own}/steps/nobody`);
    expect(absent).toMatchObject({ status: 404, body: { detail: "There is no such step." } });
    const other = await project.api.get(`/v1/workflow-runs/${foreign}/steps/a`);
    expect(other).toMatchObject({ status: 404, body: { detail: "There is no such workflow run." } });
  });
});
