import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../test/seed/running-run.ts";
import { countsOf, runNow, transitionsOf } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
});

describe("POST /sdk/v1/runs/{runID}/sleep", () => {
  it("T8 201 with a sleep trigger whose key contains its own id", async () => {
    const run = await runningRun(world, project);
    const { status, body } = await run.sdk.post("/sleep", { secs: 90 });
    expect([status, body]).toMatchObject([
      201,
      {
        event_key: `sleep:${body.id}`,
        source_type: "job_run",
        trigger_type: "sleep",
        wait_kind: "sleep",
        job_run_id: run.run_id,
        status: "waiting",
        timeout_secs: 90,
        expires_at: "2030-01-01T00:01:30.000Z",
        callback_url: null,
      },
    ]);
    expect(await runNow(world.connection, run.run_id)).toMatchObject({ status: "waiting", is_queued: false });
  });

  it("T8 until a time: resumes then and not before; a past time ends at once", async () => {
    const [later, past] = [await runningRun(world, project), await runningRun(world, project)];
    const slept = await later.sdk.post("/sleep", { until: "2030-01-01T02:00:10+02:00" });
    expect(slept.body).toMatchObject({ expires_at: "2030-01-01T00:00:10.000Z", timeout_secs: null });
    await past.sdk.post("/sleep", { until: "2029-12-31T00:00:00Z" });
    await world.tick("resolve-due-triggers");
    expect((await runNow(world.connection, past.run_id)).status).toBe("pending");
    expect((await runNow(world.connection, later.run_id)).status).toBe("waiting");
    await world.clock.pass("10s");
    await world.tick("resolve-due-triggers");
    expect((await runNow(world.connection, later.run_id)).status).toBe("pending");
    expect((await transitionsOf(world.connection, later.run_id)).slice(2)).toEqual([
      "running>waiting waiting",
      "waiting>pending resumed",
    ]);
  });

  it("T8 returns the existing sleep with 200 if the same attempt repeats the request", async () => {
    const run = await runningRun(world, project);
    const first = await run.sdk.post("/sleep", { secs: 60 });
    const again = await run.sdk.post("/sleep", { secs: 60 });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await runNow(world.connection, run.run_id)).waits).toBe(1);
    // The sleep belongs to a newer attempt.
    await runSql(world.connection, "update runs set attempt = attempt + 1 where id = $1", [run.run_id]);
    expect((await run.sdk.post("/sleep", { secs: 60 })).body.code).toBe("stale_attempt");
  });

  it.each([
    [{}, "body.secs"],
    [{ secs: null, until: null }, "body.secs"],
    [{ secs: 5, until: "2030-01-01T00:00:00Z" }, "body.until"],
    [{ secs: 0 }, "body.secs"],
    [{ secs: 1.5 }, "body.secs"],
    [{ secs: 31_536_001 }, "body.secs"],
    [{ until: "tomorrow" }, "body.until"],
    [{ until: "2031-02-01T00:00:00Z" }, "body.until"],
    [{ seconds: 5 }, "body.seconds"],
  ])("T8 422 for %j", async (body, location) => {
    const run = await runningRun(world, project);
    const refused = await run.sdk.post("/sleep", body);
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, location]);
    expect((await runNow(world.connection, run.run_id)).status).toBe("running");
  });

  it("T12 counts as waiting, not towards the quota", async () => {
    const own = await world.project();
    await (await runningRun(world, own)).sdk.post("/sleep", { secs: 60 });
    const { counted, present } = await countsOf(world.connection, own.id);
    expect(counted).toEqual({ active: 0, waiting: 1, received: 0, timed_out: 0, canceled: 0 });
    expect(present).toEqual(counted);
  });
});
