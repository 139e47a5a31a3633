import { beforeAll, describe, expect, it } from "vitest";
import { type SeedRun, seedJob, seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  job_id = (await seedJob(world.connection, project.id)).id;
  await world.clock.set("2030-01-01T12:00:00.000Z");
});

const seed = (run: SeedRun) => seedRun(world.connection, project.id, { job_id, ...run });
const replay = (id: string, body?: object) => project.api.post(`/v1/runs/${id}/replay`, body);
const readRun = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body;

async function replaysOf(id: string): Promise<string[]> {
  const rows = await runSql<{ id: string }>(world.connection, "select id from runs where replay_of = $1", [id]);
  return rows.map((row) => row.id);
}

describe("POST /v1/runs/{runID}/replay", () => {
  it("creates a new run from the old one's input, and leaves the old one unchanged except for the link", async () => {
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const original = await seed({
      status: "completed",
      payload: { order: 7 },
      metadata: { source: "shop" },
      tags: { region: "eu" },
      priority: 12,
      concurrency_key: "customer-7",
      environment_id: staging,
      batch_id: newId(),
      parent_run_id: newId(),
      result: { done: true },
    });
    const before = await readRun(original);
    const { status, body } = await replay(original);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      job_id,
      environment_id: staging,
      status: "pending",
      attempt: 0,
      payload: { order: 7 },
      metadata: { source: "shop" },
      tags: { region: "eu" },
      priority: 12,
      concurrency_key: "customer-7",
      trigger_type: "replay",
      replay_of: original,
      created_by: "test key",
      created_by_id: project.key_id,
      parent_run_id: null,
      batch_id: null,
      result: null,
    });
    expect(await readRun(original)).toEqual({ ...before, replayed_by: body.id });
    const [queued] = await runSql(world.connection, "select blocked_on from run_queue where run_id = $1", [body.id]);
    expect(queued).toEqual({ blocked_on: null });
    const [move] = (await project.api.get(`/v1/runs/${body.id}/transitions`)).body.data;
    expect(move).toMatchObject({ ordinal: 1, from_status: null, to_status: "pending", cause: "created" });
  });

  it("replaces payload, metadata and tags with the given edits", async () => {
    const original = await seed({ status: "failed", payload: { a: 1 }, metadata: { m: 1 }, tags: { t: "1" } });
    const edited = await replay(original, { payload: [2], metadata: { n: 2 }, tags: ["fixed"] });
    expect(edited.body).toMatchObject({ payload: [2], metadata: { n: 2 }, tags: { fixed: "true" } });
    expect(edited.body.metadata).toEqual({ n: 2 });
    expect((await readRun(original)).payload).toEqual({ a: 1 });
    expect((await replay(original, { paylod: 1 })).body.errors[0].location).toBe("body.paylod");
  });

  it("R3 uses the current job and its checks", async () => {
    const job = await seedJob(world.connection, project.id, {
      payload_schema: { type: "object", required: ["order"] },
    });
    const original = await seed({ job_id: job.id, status: "failed", payload: {} });
    const version_id = newId();
    await runSql(
      world.connection,
      `insert into job_versions (project_id, id, job_id, version, endpoint_url, host, headers, timeout_secs,
         heartbeat_timeout_secs, max_attempts, retry_strategy, payload_schema, created_by, created_at)
       select project_id, $2, job_id, 2, endpoint_url, host, headers, 17, 5, 9, retry_strategy, payload_schema,
         created_by, created_at
       from job_versions where id = $1`,
      [job.version_id, version_id],
    );
    await runSql(world.connection, "update jobs set version = 2, version_id = $2, revision = 2 where id = $1", [
      job.id,
      version_id,
    ]);
    const refused = await replay(original);
    expect([refused.status, refused.body.code]).toEqual([422, "payload_invalid"]);
    const { body } = await replay(original, { payload: { order: 1 } });
    expect(body).toMatchObject({ job_version_id: version_id, timeout_secs: 17, max_attempts: 9 });
  });

  it("removes a dead letter from the DLQ in the same transaction, once; a rejected replay leaves it there", async () => {
    const letter = await seed({ status: "failed", is_dead_letter: true });
    expect((await replay(letter, { tags: { "": "bad" } })).status).toBe(422);
    expect((await readRun(letter)).dead_lettered_at).not.toBeNull();
    expect((await replay(letter)).status).toBe(201);
    expect((await readRun(letter)).dead_lettered_at).toBeNull();
    const again = await replay(letter);
    expect([again.status, again.body.code]).toEqual([409, "already_replayed"]);
    expect(await replaysOf(letter)).toHaveLength(1);
  });

  it("concurrent replays of a dead letter replay it once: one wins, the others get 409", async () => {
    for (let round = 0; round < 5; round++) {
      const letter = await seed({ status: "timed_out", is_dead_letter: true });
      const responses = await Promise.all(Array.from({ length: 5 }, () => replay(letter)));
      expect(responses.map((response) => response.status).toSorted()).toEqual([201, 409, 409, 409, 409]);
      expect(await replaysOf(letter)).toHaveLength(1);
    }
  });

  it("racing with discard removes it from the DLQ once; both succeed or one is rejected", async () => {
    for (let round = 0; round < 5; round++) {
      const letter = await seed({ status: "failed", is_dead_letter: true });
      const discard = project.api.post(`/v1/runs/${letter}/discard`);
      const [replayed, discarded] = await Promise.all([replay(letter), discard]);
      // A discarded run is out of the DLQ and can be replayed like any other.
      expect([replayed.status, discarded.status]).toEqual([
        201,
        expect.toSatisfy((s: number) => s === 200 || s === 409),
      ]);
      expect((await readRun(letter)).dead_lettered_at).toBeNull();
    }
  });

  it("a run that is not dead-lettered can be replayed any number of times", async () => {
    const original = await seed({ status: "completed" });
    for (let n = 0; n < 3; n++) expect((await replay(original)).status).toBe(201);
    expect(await replaysOf(original)).toHaveLength(3);
  });

  it("409 for a run of a workflow, of a deleted job and of a disabled one", async () => {
    const step = await seed({ status: "failed", is_dead_letter: true, workflow_run_id: newId() });
    expect((await replay(step)).body.code).toBe("belongs_to_workflow");
    expect((await readRun(step)).dead_lettered_at).not.toBeNull();
    const gone = await seedJob(world.connection, project.id);
    const orphan = await seed({ job_id: gone.id, status: "failed", is_dead_letter: true });
    await runSql(world.connection, "update jobs set enabled = false where id = $1", [gone.id]);
    expect((await replay(orphan)).body.code).toBe("job_disabled");
    await runSql(world.connection, "update jobs set deleted_at = clock() where id = $1", [gone.id]);
    const refused = await replay(orphan);
    expect([refused.status, refused.body.code]).toEqual([409, "job_deleted"]);
    expect((await readRun(orphan)).dead_lettered_at).not.toBeNull();
  });

  it("is audited on the replayed run, with the id of the new one", async () => {
    const original = await seed({ status: "completed", payload: { secret: "not-logged" } });
    const { body } = await replay(original, { payload: { secret: "not-logged" } });
    const [event] = await runSql(world.connection, "select * from audit_events where resource_id = $1", [original]);
    expect(event).toMatchObject({ action: "run.replayed", after: { replayed_as: body.id } });
    expect(JSON.stringify(event)).not.toContain("not-logged");
  });
});
