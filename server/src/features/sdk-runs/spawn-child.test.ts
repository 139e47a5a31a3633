import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const childrenOf = (run_id: string) =>
  runSql<{ id: string; status: string }>(world.connection, "select * from runs where parent_run_id = $1", [run_id]);

describe("POST /sdk/v1/runs/{runID}/spawn", () => {
  it("R14 creates a child by id or slug, with its parent's id, in the parent's environment", async () => {
    const job = await seedJob(world.connection, project.id, { slug: "child-job" });
    const environment_id = (await project.api.get("/v1/environments/staging")).body.id;
    const parent = await runningRun(world, project, { environment_id });
    const asked = { payload: { a: 1 }, metadata: { m: 1 }, tags: ["eu"], priority: 5 };
    for (const job_id of [job.id, "child-job"]) {
      const { status, body } = await parent.sdk.post("/spawn", { job_id, ...asked });
      expect([status, body]).toMatchObject([
        201,
        {
          ...asked,
          tags: { eu: "true" },
          status: "pending",
          job_id: job.id,
          parent_run_id: parent.run_id,
          trigger_type: "spawn",
          created_by: `run:${parent.run_id}`,
          environment_id,
        },
      ]);
    }
    const children = (await project.api.get(`/v1/runs/${parent.run_id}/children`)).body.data;
    expect(children).toHaveLength(2);
  });

  it("R14 the same idempotency key returns the first child; different content is 409", async () => {
    const job = await seedJob(world.connection, project.id);
    const { run_id, sdk } = await runningRun(world, project);
    const asked = { job_id: job.id, payload: { a: 1, b: 2 }, idempotency_key: "once" };
    const first = await sdk.post("/spawn", asked);
    const again = await sdk.post("/spawn", { ...asked, payload: { b: 2, a: 1 } });
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const other = await sdk.post("/spawn", { ...asked, payload: { a: 2 } });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_conflict"]);
    expect(await childrenOf(run_id)).toHaveLength(1);
  });

  it("R14 twenty concurrent calls with one key create one child", async () => {
    const job = await seedJob(world.connection, project.id);
    const { run_id, sdk } = await runningRun(world, project);
    const asked = { job_id: job.id, idempotency_key: "race" };
    const responses = await Promise.all(Array.from({ length: 20 }, () => sdk.post("/spawn", asked)));
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    expect(await childrenOf(run_id)).toHaveLength(1);
  });

  it("R14 starts at a given time or after a delay, but not both", async () => {
    await world.clock.set("2030-01-01T00:00:00Z");
    const job = await seedJob(world.connection, project.id);
    const { sdk } = await runningRun(world, project);
    const scheduled_at = "2030-06-01T00:00:00.000Z";
    expect((await sdk.post("/spawn", { job_id: job.id, scheduled_at })).body.scheduled_at).toBe(scheduled_at);
    const delayed = await sdk.post("/spawn", { job_id: job.id, delay_secs: 90 });
    expect(delayed.body.scheduled_at).toBe("2030-01-01T00:01:30.000Z");
    const both = await sdk.post("/spawn", { job_id: job.id, scheduled_at, delay_secs: 1 });
    expect([both.status, both.body.errors[0].location]).toEqual([422, "body.delay_secs"]);
  });

  it("R14 422 for an unknown job or another project's", async () => {
    const foreign = await seedJob(world.connection, (await world.project()).id);
    const { run_id, sdk } = await runningRun(world, project);
    for (const job_id of [foreign.id, "nothing"]) {
      const { status, body } = await sdk.post("/spawn", { job_id });
      expect([status, body.errors[0].location]).toEqual([422, "body.job_id"]);
    }
    expect(await childrenOf(run_id)).toEqual([]);
  });

  it("R14 422 for a payload that the job's schema rejects", async () => {
    const payload_schema = { type: "object", required: ["id"] };
    const job = await seedJob(world.connection, project.id, { payload_schema });
    const { sdk } = await runningRun(world, project);
    expect((await sdk.post("/spawn", { job_id: job.id, payload: {} })).body.code).toBe("payload_invalid");
    expect((await sdk.post("/spawn", { job_id: job.id, payload: { id: 1 } })).status).toBe(201);
  });

  it("R14 at most 32 levels deep", async () => {
    const job = await seedJob(world.connection, project.id);
    const { run_id, sdk } = await runningRun(world, project);
    const setDepth = (depth: number) =>
      runSql(world.connection, "update runs set spawn_depth = $2 where id = $1", [run_id, depth]);
    await setDepth(31);
    expect((await sdk.post("/spawn", { job_id: job.id })).status).toBe(201);
    await setDepth(32);
    const refused = await sdk.post("/spawn", { job_id: job.id });
    expect([refused.status, refused.body.code]).toEqual([422, "spawn_depth_exceeded"]);
  });

  it("R15 410 once its parent is canceled, and no child is created", async () => {
    const job = await seedJob(world.connection, project.id);
    const { run_id, sdk } = await runningRun(world, project);
    await project.api.post(`/v1/runs/${run_id}/cancel`, {});
    const refused = await sdk.post("/spawn", { job_id: job.id });
    expect([refused.status, refused.body.code]).toEqual([410, "run_already_ended"]);
    expect(await childrenOf(run_id)).toEqual([]);
  });

  it("R15 racing with its parent's cancel leaves no live child", async () => {
    const job = await seedJob(world.connection, project.id);
    for (let round = 0; round < sizeOf(2, 30); round++) {
      const { run_id, sdk } = await runningRun(world, project);
      const [canceled, ...spawned] = await Promise.all([
        project.api.post(`/v1/runs/${run_id}/cancel`, {}),
        ...Array.from({ length: 6 }, () => sdk.post("/spawn", { job_id: job.id })),
      ]);
      expect(canceled.status).toBe(200);
      expect(spawned.filter(({ status }) => ![201, 410].includes(status))).toEqual([]);
      const children = await childrenOf(run_id);
      expect(children).toHaveLength(spawned.filter(({ status }) => status === 201).length);
      expect(children.filter(({ status }) => status !== "canceled")).toEqual([]);
    }
  });
});
