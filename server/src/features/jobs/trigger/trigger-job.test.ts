import { beforeAll, describe, expect, it } from "vitest";
import { seedRun } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const ENDPOINT = "http://127.0.0.1:1025/job";

async function makeJob(fields: object = {}, { api }: Pick<TestProject, "api"> = project) {
  const response = await api.post("/v1/jobs", { name: "Job", endpoint_url: ENDPOINT, ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return response.body as { id: string; slug: string; version_id: string };
}
const trigger = ({ id }: { id: string }, body: unknown = {}, api = project.api) =>
  api.post(`/v1/jobs/${id}/trigger`, body);
const readRun = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body;
const environment = async (slug: string) => (await project.api.get(`/v1/environments/${slug}`)).body.id as string;
const runsOf = (job: { id: string }) => runSql(world.connection, "select id from runs where job_id = $1", [job.id]);

describe("POST /v1/jobs/{jobID}/trigger", () => {
  it("R2 starts a run with every default when nothing is given", async () => {
    const job = await makeJob();
    const { status, body, headers } = await trigger(job);
    expect([status, headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/Run.json`,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      project_id: project.id,
      job_id: job.id,
      job_version_id: job.version_id,
      environment_id: await environment("production"),
      status: "pending",
      attempt: 0,
      tries_used: 0,
      max_attempts: 3,
      timeout_secs: 300,
      priority: 0,
      payload: {},
      metadata: {},
      tags: {},
      result: null,
      error: null,
      concurrency_key: null,
      idempotency_key: null,
      batch_id: null,
      created_by: "test key",
      created_by_id: project.key_id,
      trigger_type: "api",
      parent_run_id: null,
      replay_of: null,
      replayed_by: null,
      schedule_id: null,
      workflow_run_id: null,
      step_ref: null,
      progress: null,
      pause_requested: false,
      cost_microusd: 0,
      scheduled_at: body.created_at,
      started_at: null,
      finished_at: null,
      dead_lettered_at: null,
      replayed_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.created_at,
    });
    expect(await readRun(body.id)).toEqual(body);
  });

  it("R2 starts a run with every given field", async () => {
    const job = await makeJob({ slug: "everything" });
    const parent_run_id = await seedRun(world.connection, project.id);
    const requested = {
      payload: { order: { id: 7, lines: [1.5, null, "é"] } },
      metadata: { source: "shop", nested: { a: [1] } },
      tags: { eu: "true", team: "billing" },
      priority: -100,
      concurrency_key: "customer 7",
      idempotency_key: "order-7",
      scheduled_at: "2031-01-31T12:00:00.000Z",
      timeout_secs: 86_400,
      max_attempts: 100,
      environment_id: await environment("staging"),
      parent_run_id,
    };
    const { status, body } = await project.api.post("/v1/jobs/everything/trigger", requested);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...requested, job_id: job.id, created_by: "test key", status: "pending" });
    expect(await readRun(body.id)).toEqual(body);
  });

  it("R2 logs the creation as the first transition, and queues the run", async () => {
    const { body } = await trigger(await makeJob());
    const transitions = (await project.api.get(`/v1/runs/${body.id}/transitions`)).body.data;
    expect(transitions).toMatchObject([
      { ordinal: 1, from_status: null, to_status: "pending", cause: "created", attempt: 0 },
    ]);
    const queued = await runSql(world.connection, "select host, blocked_on from run_queue where run_id = $1", [
      body.id,
    ]);
    expect(queued).toEqual([{ host: "127.0.0.1:1025", blocked_on: null }]);
  });

  it.each(["text", "", 5, 0, -1.5, false, [], [1, { a: null }], { a: null }])(
    "R2 keeps the payload %j",
    async (payload) => {
      const { body } = await trigger(await makeJob(), { payload });
      expect([body.payload, (await readRun(body.id)).payload]).toEqual([payload, payload]);
    },
  );

  it("R2 treats a null payload as none", async () => {
    const { body } = await trigger(await makeJob(), { payload: null });
    expect([body.payload, (await readRun(body.id)).payload]).toEqual([{}, {}]);
  });

  it("R2 sets created_by to the name of the key, or to the internal secret", async () => {
    const job = await makeJob();
    const { api } = await project.newKey({ name: "shop" });
    expect((await trigger(job, {}, api)).body.created_by).toBe("shop");
    const internal = await trigger(job, { project_id: project.id }, world.admin);
    expect([internal.status, internal.body.created_by]).toEqual([201, expect.stringContaining("internal")]);
  });

  it("R2 created_by_id distinguishes two keys of the same name, and the list filters by it with created_by", async () => {
    const job = await makeJob();
    const keys = [await project.newKey({ name: "twin" }), await project.newKey({ name: "twin" })];
    const runs = [];
    for (const { api } of keys) runs.push((await trigger(job, {}, api)).body);
    expect(runs.map(({ created_by }) => created_by)).toEqual(["twin", "twin"]);
    expect(runs.map(({ created_by_id }) => created_by_id)).toEqual(keys.map(({ id }) => id));
    for (const [nth, { id }] of keys.entries()) {
      expect(await readRun(runs[nth].id)).toMatchObject({ created_by: "twin", created_by_id: id });
      const { body } = await project.api.get(`/v1/runs?created_by=${id}`);
      expect(body.data).toEqual([expect.objectContaining({ id: runs[nth].id })]);
    }
    expect((await project.api.get("/v1/runs?created_by=twin")).body.data).toHaveLength(2);
    const internal = await trigger(job, { project_id: project.id }, world.admin);
    expect(internal.body.created_by_id).toBeNull();
  });

  it("R3 records the current version, and keeps it when the job changes", async () => {
    const job = await makeJob();
    const first = (await trigger(job)).body;
    const changed = await project.api.patch(`/v1/jobs/${job.id}`, { timeout_secs: 7 });
    const second = (await trigger(job)).body;
    expect(first.job_version_id).toBe(job.version_id);
    expect([second.job_version_id, second.timeout_secs]).toEqual([changed.body.version_id, 7]);
    expect(second.job_version_id).not.toBe(first.job_version_id);
    expect(await readRun(first.id)).toMatchObject({ job_version_id: job.version_id, timeout_secs: 300 });
  });

  it("R6 applies default_run_metadata; the run's own metadata wins key by key", async () => {
    const job = await makeJob({ default_run_metadata: { source: "job", region: { eu: true }, kept: [1] } });
    const { body } = await trigger(job, { metadata: { source: "run", region: { us: true }, own: null } });
    expect(body.metadata).toEqual({ source: "run", region: { us: true }, kept: [1], own: null });
    expect((await trigger(job)).body.metadata).toEqual({ source: "job", region: { eu: true }, kept: [1] });
  });

  it("R2 accepts at most 20 tags after merging; shared names count once, and the error has both counts", async () => {
    const named = (first: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, nth) => [`t${first + nth}`, "x"]));
    const job = await makeJob({ tags: named(0, 15) });
    expect(Object.keys((await trigger(job, { tags: named(10, 10) })).body.tags)).toHaveLength(20);
    const refused = await trigger(job, { tags: named(10, 11) });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [
        {
          location: "body.tags",
          message: "the 11 here, merged with the 15 of the job, make 21; at most 20 are allowed",
          value: null,
        },
      ],
    ]);
    const bulk = await project.api.post(`/v1/jobs/${job.id}/trigger/bulk`, { items: [{}, { tags: named(20, 6) }] });
    expect(bulk.body.results.map(({ status }: { status: string }) => status)).toEqual(["created", "failed"]);
    expect(bulk.body.results[1].error.message).toContain(
      "body.items[1].tags: the 6 here, merged with the 15 of the job",
    );
  });

  it("R2 keeps the run's own tags in a replay, and as many of the job's as fit", async () => {
    const job = await makeJob({ tags: { a: "1" } });
    const twenty = Object.fromEntries(Array.from({ length: 19 }, (_, nth) => [`t${nth}`, "x"]));
    const run = (await trigger(job, { tags: twenty })).body;
    await project.api.post(`/v1/runs/${run.id}/cancel`);
    await project.api.patch(`/v1/jobs/${job.id}`, { tags: { b: "2", c: "3" } });
    const replay = await project.api.post(`/v1/runs/${run.id}/replay`);
    expect([replay.status, replay.body.tags]).toEqual([201, run.tags]);
    const edited = await project.api.post(`/v1/runs/${run.id}/replay`, { tags: twenty });
    expect([edited.status, edited.body.errors?.[0]?.location]).toEqual([422, "body.tags"]);
  });

  it("R2 merges the run's tags over the job's; a list of names is a shorthand", async () => {
    const job = await makeJob({ tags: { team: "billing", eu: "no" } });
    expect((await trigger(job)).body.tags).toEqual({ team: "billing", eu: "no" });
    expect((await trigger(job, { tags: { eu: "yes", vip: "1" } })).body.tags).toEqual({
      team: "billing",
      eu: "yes",
      vip: "1",
    });
    expect((await trigger(job, { tags: ["eu", "vip"] })).body.tags).toEqual({
      team: "billing",
      eu: "true",
      vip: "true",
    });
  });

  it("takes priority, attempts and timeout from the job by default", async () => {
    const job = await makeJob({ priority: 9, max_attempts: 7, timeout_secs: 11 });
    expect((await trigger(job)).body).toMatchObject({ priority: 9, max_attempts: 7, timeout_secs: 11 });
    const own = { priority: 0, max_attempts: 1, timeout_secs: 1 };
    expect((await trigger(job, own)).body).toMatchObject(own);
  });
});

describe("the environment of a triggered run", () => {
  it("A2 is that of the trigger, else of the key, else of the job, else production", async () => {
    const [staging, production] = [await environment("staging"), await environment("production")];
    const [shared, ofStaging] = [await makeJob(), await makeJob({ environment_id: staging })];
    const bound = (await project.newKey({ environment_id: staging })).api;
    const inEnvironment = async (...given: Parameters<typeof trigger>) => (await trigger(...given)).body.environment_id;
    expect(await inEnvironment(ofStaging, { environment_id: "production" })).toBe(production);
    expect(await inEnvironment(ofStaging, { environment_id: production })).toBe(production);
    expect(await inEnvironment(shared, {}, bound)).toBe(staging);
    expect(await inEnvironment(ofStaging)).toBe(staging);
    expect(await inEnvironment(shared)).toBe(production);
  });

  it("A2 is the key's own for a bound key, which does not find jobs of other environments", async () => {
    const [staging, production] = [await environment("staging"), await environment("production")];
    const [shared, other] = [await makeJob(), await makeJob({ environment_id: production })];
    const { api } = await project.newKey({ environment_id: staging });
    for (const named of [staging, "staging"])
      expect((await trigger(shared, { environment_id: named }, api)).status).toBe(201);
    for (const named of [production, "production"]) {
      const refused = await trigger(shared, { environment_id: named }, api);
      expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.environment_id"]);
    }
    // Also when this instance has cached the job for a caller who may see it.
    expect((await trigger(other)).status).toBe(201);
    expect((await trigger(other, {}, api)).status).toBe(404);
    expect(await runsOf(other)).toHaveLength(1);
  });

  it("A2 422 for an unknown one and for one of another project", async () => {
    const job = await makeJob();
    const foreign = await world.project();
    const foreignId = (await foreign.api.get("/v1/environments/production")).body.id;
    for (const environment_id of ["nowhere", newId(), foreignId]) {
      const refused = await trigger(job, { environment_id });
      expect([refused.status, refused.body.errors[0]]).toMatchObject([422, { location: "body.environment_id" }]);
    }
  });
});

describe("a triggered child", () => {
  it("is listed below its parent, one level deeper", async () => {
    const job = await makeJob();
    const parent = (await trigger(job)).body.id;
    const child = (await trigger(job, { parent_run_id: parent })).body;
    expect(child.parent_run_id).toBe(parent);
    const listed = (await project.api.get(`/v1/runs/${parent}/children`)).body.data;
    expect(listed.map((run: { id: string }) => run.id)).toEqual([child.id]);
    const [{ spawn_depth } = {}] = await runSql(world.connection, "select spawn_depth from runs where id = $1", [
      child.id,
    ]);
    expect(spawn_depth).toBe(1);
  });

  it("422 for a parent that is unknown, in another project, or in an environment the key does not see", async () => {
    const job = await makeJob();
    const foreign = await seedRun(world.connection, (await world.project()).id);
    const hidden = await seedRun(world.connection, project.id, { environment_id: await environment("production") });
    const { api } = await project.newKey({ environment_id: await environment("staging") });
    for (const [parent_run_id, client] of [
      [newId(), project.api],
      [foreign, project.api],
      [hidden, api],
    ] as const) {
      const refused = await trigger(job, { parent_run_id }, client);
      expect([refused.status, refused.body.errors?.[0]?.location]).toEqual([422, "body.parent_run_id"]);
    }
    expect(await runsOf(job)).toEqual([]);
  });

  it("422 beyond 32 levels", async () => {
    const job = await makeJob();
    const parent_run_id = await seedRun(world.connection, project.id);
    const deep = (depth: number) =>
      runSql(world.connection, "update runs set spawn_depth = $2 where id = $1", [parent_run_id, depth]);
    await deep(31);
    expect((await trigger(job, { parent_run_id })).status).toBe(201);
    await deep(32);
    const refused = await trigger(job, { parent_run_id });
    expect([refused.status, refused.body.code]).toEqual([422, "spawn_depth_exceeded"]);
  });
});
