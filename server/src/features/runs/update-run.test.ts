import { beforeAll, describe, expect, it } from "vitest";
import { type SeedRun, seedJob, seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  job_id = (await seedJob(world.connection, project.id)).id;
  await world.clock.set("2030-01-01T12:00:00.000Z");
});

const seed = (run: SeedRun = {}) => seedRun(world.connection, project.id, { job_id, ...run });
const patch = (id: string, body: object) => project.api.patch(`/v1/runs/${id}`, body);

type QueuedRow = {
  rank_at: Date;
  run_at: Date;
  interleave_at: Date | null;
  expires_at: Date | null;
  blocked_on: string | null;
};

async function queuedRow(id: string) {
  const [row] = await runSql<QueuedRow>(
    world.connection,
    "select rank_at, run_at, interleave_at, expires_at, blocked_on from run_queue where run_id = $1",
    [id],
  );
  if (!row) throw new Error("it is not in the queue");
  const [rank_at, run_at] = [row.rank_at.toISOString(), row.run_at.toISOString()];
  return {
    rank_at: rank_at.slice(11, 19),
    run_at: run_at.slice(11, 19),
    interleave_at: row.interleave_at?.toISOString().slice(11, 19) ?? null,
    expires_at: row.expires_at?.toISOString().slice(11, 19) ?? null,
    blocked_on: row.blocked_on,
  };
}

describe("PATCH /v1/runs/{runID}", () => {
  it("R2 changes tags, metadata, priority and start time of a run that has not started, and is audited", async () => {
    const id = await seed({ tags: { a: "1" }, metadata: { m: 1 }, payload: { secret: "not-in-the-audit" } });
    const changes = { tags: { b: "2" }, metadata: { n: [2] }, priority: 9, scheduled_at: "2030-01-01T13:00:00.000Z" };
    const { status, body } = await patch(id, changes);
    expect([status, body]).toMatchObject([200, { id, status: "pending", ...changes }]);
    const [event] = await runSql(world.connection, "select * from audit_events where resource_id = $1", [id]);
    expect(event).toMatchObject({ action: "run.updated", before: { tags: { a: "1" }, priority: 0 }, after: changes });
    expect(JSON.stringify(event)).not.toContain("not-in-the-audit");
  });

  it("accepts a list of tags as shorthand, and leaves omitted fields unchanged", async () => {
    const id = await seed({ metadata: { kept: true }, priority: 4 });
    expect((await patch(id, { tags: ["eu", "big"] })).body).toMatchObject({
      tags: { eu: "true", big: "true" },
      metadata: { kept: true },
      priority: 4,
    });
    expect((await patch(id, {})).body).toMatchObject({ tags: { eu: "true", big: "true" }, priority: 4 });
  });

  it("accepts GET's response with a field edited, and rejects a changed read-only field", async () => {
    const id = await seed();
    const read = (await project.api.get(`/v1/runs/${id}`)).body;
    const edited = await patch(id, { ...read, priority: 5 });
    expect([edited.status, edited.body]).toEqual([200, { ...read, priority: 5, updated_at: edited.body.updated_at }]);
    const refused = await patch(id, { ...edited.body, status: "completed" });
    expect([refused.status, refused.body.code, refused.body.errors[0].location]).toEqual([
      422,
      "read_only_field",
      "body.status",
    ]);
  });

  it.each([
    [{ priority: 101 }, "body.priority"],
    [{ priority: 1.5 }, "body.priority"],
    [{ scheduled_at: "tomorrow" }, "body.scheduled_at"],
    [{ scheduled_at: null }, "body.scheduled_at"],
    [{ scheduled_at: "0000-01-01T00:00:00Z" }, "body.scheduled_at"],
    [{ tags: { a: 1 } }, "body.tags.a"],
    [{ tags: { "": "x" } }, 'body.tags[""]'],
    [{ tags: { ["k".repeat(65)]: "x" } }, `body.tags.${"k".repeat(65)}`],
    [{ tags: Array(21).fill("x") }, "body.tags"],
    [{ metadata: [] }, "body.metadata"],
    [{ metadata: { ["k".repeat(65)]: 1 } }, `body.metadata.${"k".repeat(65)}`],
    [{ paylod: {} }, "body.paylod"],
  ])("422 for %j, with its location", async (body, location) => {
    const response = await patch(await seed(), body);
    const locations = response.body.errors?.map((issue: { location: string }) => issue.location);
    expect([response.status, locations]).toEqual([422, expect.arrayContaining([location])]);
  });

  it("409 for a run that has started, even if it waits for its next attempt", async () => {
    const started: SeedRun[] = [
      { status: "running" },
      { status: "pending", attempt: 1 },
      { status: "paused", attempt: 2 },
    ];
    for (const run of started) {
      const response = await patch(await seed(run), { priority: 1 });
      expect([response.status, response.body.code]).toEqual([409, "run_already_started"]);
    }
  });
});

describe("the position in the queue", () => {
  it("a point of priority moves it a minute ahead, and the time it became due stays", async () => {
    const id = await seed({ priority: 0 });
    expect(await queuedRow(id)).toMatchObject({ rank_at: "12:00:00" });
    await patch(id, { priority: 10 });
    expect(await queuedRow(id)).toMatchObject({ rank_at: "11:50:00", run_at: "12:00:00", blocked_on: null });
    await patch(id, { priority: -5 });
    expect(await queuedRow(id)).toMatchObject({ rank_at: "12:05:00", run_at: "12:00:00" });
  });

  it("a later start blocks it until then, an earlier one unblocks it; its TTL moves with it", async () => {
    const id = await seed({ priority: 1, run_ttl_secs: 600 });
    await patch(id, { scheduled_at: "2030-01-01T14:00:00Z" });
    expect(await queuedRow(id)).toEqual({
      rank_at: "13:59:00",
      run_at: "14:00:00",
      interleave_at: null,
      expires_at: "14:10:00",
      blocked_on: "not_due",
    });
    await patch(id, { scheduled_at: "2030-01-01T10:00:00Z", priority: 2 });
    // It becomes due now, not in the past, so it does not overtake runs that were due before.
    expect(await queuedRow(id)).toMatchObject({ rank_at: "11:58:00", run_at: "10:00:00", blocked_on: null });
  });

  it("gives up its turn among its job's concurrency keys until it is due", async () => {
    const id = await seed({ concurrency_key: "k" });
    await patch(id, { scheduled_at: "2030-01-01T15:00:00Z" });
    expect(await queuedRow(id)).toMatchObject({ interleave_at: null, rank_at: "15:00:00", blocked_on: "not_due" });
  });

  it("does not change if the fields are sent back unchanged", async () => {
    const id = await seed({ concurrency_key: "k" });
    await runSql(world.connection, "update run_queue set rank_at = rank_at + interval '7 s' where run_id = $1", [id]);
    const { scheduled_at } = (await project.api.get(`/v1/runs/${id}`)).body;
    await patch(id, { scheduled_at, priority: 0, tags: { a: "1" } });
    expect(await queuedRow(id)).toMatchObject({ rank_at: "12:00:07", blocked_on: null });
  });

  it("if blocked on a limit and moved later, it waits for its time and then checks the limit again", async () => {
    for (const blocked_on of ["key:x:y", "job:x", "rate:x::", "circuit:127.0.0.1:9"]) {
      const id = await seed({ blocked_on });
      await patch(id, { scheduled_at: "2030-01-01T14:00:00Z" });
      expect((await queuedRow(id)).blocked_on, blocked_on).toBe("not_due");
    }
  });

  it("if blocked on something that time does not resolve, it stays blocked", async () => {
    const paused = await seedJob(world.connection, project.id, { paused: true });
    for (const run of [{ blocked_on: "dependency" }, { job_id: paused.id, blocked_on: `paused_job:${paused.id}` }]) {
      const id = await seed(run);
      await patch(id, { scheduled_at: "2030-01-01T14:00:00Z" });
      await patch(id, { priority: 1 });
      expect(await queuedRow(id)).toMatchObject({
        blocked_on: run.blocked_on,
        run_at: "14:00:00",
        rank_at: "13:59:00",
      });
    }
  });

  it("if blocked on a limit, it checks the limit again after the change: a release in the meantime skipped it", async () => {
    const released = await seedJob(world.connection, project.id);
    const reasons = ["key:x:y", "job:x", "rate:x::", "circuit:127.0.0.1:9", `paused_job:${released.id}`];
    for (const blocked_on of reasons) {
      const id = await seed({ job_id: released.id, blocked_on });
      await patch(id, { tags: { touched: "yes" } });
      expect((await queuedRow(id)).blocked_on, blocked_on).toBeNull();
    }
    await runSql(
      world.connection,
      "insert into circuits (project_id, host, status, updated_at) values ($1, '127.0.0.1:9', 'open', clock())",
      [project.id],
    );
    const id = await seed({ blocked_on: "circuit:127.0.0.1:9" });
    await patch(id, { tags: { touched: "yes" } });
    expect((await queuedRow(id)).blocked_on).toBe("circuit:127.0.0.1:9");
  });

  it("of a paused run takes effect when it is resumed", async () => {
    const id = await seed();
    await project.api.post(`/v1/runs/${id}/pause`);
    await patch(id, { priority: 3, scheduled_at: "2030-01-01T16:00:00Z" });
    await project.api.post(`/v1/runs/${id}/resume`);
    expect(await queuedRow(id)).toMatchObject({ rank_at: "15:57:00", run_at: "16:00:00", blocked_on: "not_due" });
  });
});
