import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow, REST } from "../../../test/seed/make-workflow.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { sizeOf } from "../../../test/world/size.ts";
import type { World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

const rowsOf = async (id: string) => ({
  workflows: (await runSql(world.connection, "select 1 from workflows where id = $1", [id])).length,
  versions: (await runSql(world.connection, "select 1 from workflow_versions where workflow_id = $1", [id])).length,
  schedules: (await runSql(world.connection, "select 1 from schedules where workflow_id = $1", [id])).length,
});

describe("DELETE /v1/workflows/{workflowID}", () => {
  it("by id or slug: 404 afterwards on every path, in no list, and its slug is free", async () => {
    const project = await world.project();
    const workflow = await makeWorkflow(project, { slug: "gone", cron: "@daily" });
    expect((await project.api.post(`${workflow.path}/trigger`, {})).status).toBe(201);
    expect((await project.api.delete("/v1/workflows/gone")).status).toBe(204);
    for (const ref of [workflow.id, "gone"]) {
      const path = `/v1/workflows/${ref}`;
      const responses = [
        await project.api.get(path),
        await project.api.patch(path, { name: "Back" }),
        await project.api.delete(path),
        await project.api.post(`${path}/trigger`, {}),
        await project.api.get(`${path}/versions`),
        await project.api.get(`${path}/versions/${workflow.version_id}`),
      ];
      expect(responses.map((response) => [response.status, response.body.code])).toEqual(
        responses.map(() => [404, "not_found"]),
      );
    }
    expect((await world.admin.get(workflow.path)).status).toBe(404);
    expect((await project.api.get("/v1/workflows")).body.data).toEqual([]);
    expect((await makeWorkflow(project, { slug: "gone" })).id).not.toBe(workflow.id);
  });

  it("deletes its schedules at once; its runs stay readable and continue", async () => {
    const project = await world.project();
    const workflow = await makeWorkflow(project, { cron: "@daily" });
    await project.api.post("/v1/schedules", { workflow_id: workflow.id, cron: "@hourly" });
    const run = (await project.api.post(`${workflow.path}/trigger`, {})).body;
    expect(await rowsOf(workflow.id)).toEqual({ workflows: 1, versions: 1, schedules: 2 });
    await project.api.delete(workflow.path);
    expect(await rowsOf(workflow.id)).toEqual({ workflows: 1, versions: 1, schedules: 0 });
    await world.clock.pass("61m");
    await world.runUntilIdle();
    const shown = await project.api.get(`/v1/workflow-runs/${run.id}`);
    expect(shown.body).toMatchObject({ id: run.id, workflow_id: workflow.id, status: "completed" });
  });

  it("is audited", async () => {
    const project = await world.project();
    const { id, path } = await makeWorkflow(project);
    await project.api.delete(path);
    const [event] = await runSql(
      world.connection,
      "select before, after from audit_events where resource_id = $1 and action = 'workflow.deleted'",
      [id],
    );
    expect(event).toMatchObject({ before: { id, steps: [REST] }, after: null });
  });

  it("releases its environment and its jobs, which could not be deleted before", async () => {
    const project = await world.project();
    const { id: environment_id } = (await project.api.post("/v1/environments", { name: "Used" })).body;
    const [step, rescue] = [await makeJob(project), await makeJob(project)];
    const workflow = await makeWorkflow(project, {
      name: "Uses",
      environment_id,
      on_failure_job_id: rescue.id,
      steps: [{ step_ref: "a", job_id: step.id }],
    });
    const rejections = [
      await project.api.delete(`/v1/environments/${environment_id}`),
      await project.api.delete(`/v1/jobs/${step.id}`),
      await project.api.delete(`/v1/jobs/${rescue.id}`),
    ];
    expect(rejections.map((response) => [response.status, response.body.errors])).toEqual([
      [409, [{ location: "path.envID", message: 'the workflow "Uses" depends on it', value: workflow.id }]],
      [
        409,
        [
          {
            location: "path.jobID",
            message: 'the workflow "Uses" names it as the job of a step, or its compensation',
            value: workflow.id,
          },
        ],
      ],
      [
        409,
        [
          {
            location: "path.jobID",
            message: 'the workflow "Uses" names it as its on_failure_job_id',
            value: workflow.id,
          },
        ],
      ],
    ]);
    await project.api.delete(workflow.path);
    expect((await project.api.delete(`/v1/environments/${environment_id}`)).status).toBe(204);
    expect((await project.api.delete(`/v1/jobs/${step.id}`)).status).toBe(204);
    expect((await project.api.delete(`/v1/jobs/${rescue.id}`)).status).toBe(204);
  });

  it("P3 an environment with a live workflow run cannot be deleted", async () => {
    const project = await world.project();
    const { id } = (await project.api.post("/v1/environments", { name: "Used" })).body;
    const { path } = await makeWorkflow(project);
    const run = (await project.api.post(`${path}/trigger`, { environment_id: id })).body;
    const refused = await project.api.delete(`/v1/environments/${id}`);
    expect(refused.body.errors).toEqual([
      { location: "path.envID", message: `the workflow run "${run.id}" depends on it`, value: run.id },
    ]);
  });

  it("W1 deleting a job while workflows start to reference it leaves no dangling reference, and no 500", async () => {
    const project = await world.project();
    for (let round = 0; round < sizeOf(4, 10); round++) {
      const job = await makeJob(project);
      const other = await makeWorkflow(project);
      const steps = [{ step_ref: "a", job_id: job.id }];
      const [deleted, ...named] = await Promise.all([
        project.api.delete(`/v1/jobs/${job.id}`),
        project.api.post("/v1/workflows", { name: "Names", steps }),
        project.api.patch(other.path, { steps }),
      ]);
      const statuses = named.map((response) => response.status);
      expect(statuses.every((status) => [200, 201, 422].includes(status))).toBe(true);
      expect(deleted.status).toBe(statuses.some((status) => status < 300) ? 409 : 204);
    }
  });

  it("P3 deleting an environment while workflows start to use it leaves none without it, and no 500", async () => {
    const project = await world.project();
    for (let round = 0; round < sizeOf(4, 10); round++) {
      const { id } = (await project.api.post("/v1/environments", { name: "Race" })).body;
      const other = await makeWorkflow(project);
      const [deleted, ...used] = await Promise.all([
        project.api.delete(`/v1/environments/${id}`),
        project.api.post("/v1/workflows", { name: "Uses", steps: [REST], environment_id: id }),
        project.api.patch(other.path, { environment_id: id }),
      ]);
      const statuses = used.map((response) => response.status);
      expect(statuses.every((status) => [200, 201, 422].includes(status))).toBe(true);
      expect(deleted.status).toBe(statuses.some((status) => status < 300) ? 409 : 204);
    }
  });

  it("A7 409 names only the workflows the caller may read, and counts the rest", async () => {
    const project = await world.project();
    const used = await makeWorkflow(project);
    const steps = [{ step_ref: "a", type: "sub_workflow", workflow_id: used.id }];
    await makeWorkflow(project, { name: "Hidden", steps, tags: { sec: "S" } });
    const key = await project.newKey();
    const tag = { effect: "deny", actions: ["workflows:read"], subject: `api_key:${key.id}`, tag_key: "sec" };
    await project.api.post("/v1/tag-policies", tag);
    const refused = await key.api.delete(used.path);
    expect([refused.body.code, refused.text.includes("Hidden")]).toEqual(["workflow_in_use", false]);
    expect(refused.body.errors).toEqual([
      { location: "path.workflowID", message: "objects you cannot read depend on it: 1", value: null },
    ]);
    expect((await project.api.delete(used.path)).text).toContain("Hidden");
  });

  it("A2 A11 404 for another project's, 403 without workflows:write", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { path } = await makeWorkflow(other);
    expect((await mine.api.delete(path)).status).toBe(404);
    const { api } = await other.newKey({ scopes: ["workflows:read"] });
    expect((await api.delete(path)).status).toBe(403);
  });
});

describe("deleted workflows", () => {
  it("are purged with their versions once no run references them, but not within a minute", async () => {
    const project = await world.project();
    const [unused, used, kept] = [
      await makeWorkflow(project),
      await makeWorkflow(project),
      await makeWorkflow(project),
    ];
    await project.api.post(`${used.path}/trigger`, {});
    await project.api.delete(unused.path);
    await project.api.delete(used.path);

    await world.tick("remove-old-rows");
    expect(await rowsOf(unused.id)).toMatchObject({ workflows: 1, versions: 1 });
    await world.clock.pass("61s");
    await world.tick("remove-old-rows");
    expect(await rowsOf(unused.id)).toMatchObject({ workflows: 0, versions: 0 });
    expect(await rowsOf(used.id)).toMatchObject({ workflows: 1, versions: 1 });
    expect(await rowsOf(kept.id)).toMatchObject({ workflows: 1, versions: 1 });

    await runSql(world.connection, "delete from workflow_runs where workflow_id = $1", [used.id]);
    await world.tick("remove-old-rows");
    expect(await rowsOf(used.id)).toMatchObject({ workflows: 0, versions: 0 });
  });
});
