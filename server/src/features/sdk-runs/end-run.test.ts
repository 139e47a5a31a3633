import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../test/seed/running-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const runOf = async (run_id: string) => (await project.api.get(`/v1/runs/${run_id}`)).body;
const transitionsOf = (run_id: string) =>
  runSql<{ to_status: string }>(
    world.connection,
    "select from_status, to_status, attempt from run_history where run_id = $1 order by ordinal",
    [run_id],
  );

describe("POST /sdk/v1/runs/{runID}/complete", () => {
  it("R14 ends the run with its result, once", async () => {
    const { run_id, sdk } = await runningRun(world, project, { accepted: true });
    expect((await sdk.post("/complete", { result: { ok: [1] } })).body.status).toBe("completed");
    expect(await runOf(run_id)).toMatchObject({ status: "completed", result: { ok: [1] }, error: null });
    expect((await transitionsOf(run_id)).at(-1)).toMatchObject({
      from_status: "running",
      to_status: "completed",
      attempt: 1,
    });
    const again = await sdk.post("/complete", { result: 2 });
    expect([again.status, again.body.code]).toEqual([410, "run_already_ended"]);
    expect((await runOf(run_id)).result).toEqual({ ok: [1] });
  });

  it("R14 stores null without a result", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    expect((await sdk.post("/complete")).status).toBe(200);
    expect(await runOf(run_id)).toMatchObject({ status: "completed", result: null });
  });

  it("R14 422 for a result above 1 MB, even where larger bodies are allowed", async () => {
    const { url } = await world.anotherInstance({ max_body_bytes: 4_194_304 });
    const { run_id, token } = await runningRun(world, project);
    const send = (result: string) =>
      fetch(`${url}/sdk/v1/runs/${run_id}/complete`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ result }),
      });
    const refused = await send("x".repeat(1_048_575));
    expect([
      refused.status,
      ((await refused.json()) as { errors: { location: string }[] }).errors[0]?.location,
    ]).toEqual([422, "body.result"]);
    expect((await send("x".repeat(1_048_574))).status).toBe(200);
  });

  it("R14 counts exactly one of ten concurrent calls", async () => {
    const { run_id, sdk } = await runningRun(world, project, { accepted: true });
    const responses = await Promise.all(Array.from({ length: 10 }, (_, n) => sdk.post("/complete", { result: n })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(410)]);
    const winner = responses.findIndex(({ status }) => status === 200);
    expect((await runOf(run_id)).result).toBe(winner);
  });

  it("R14 is not lost to a concurrent heartbeat that extends the lease", async () => {
    for (let round = 0; round < sizeOf(4, 10); round++) {
      const { run_id, sdk } = await runningRun(world, project, { accepted: true });
      const beats = () => Array.from({ length: 3 }, () => sdk.post("/heartbeat"));
      const [completed] = await Promise.all([sdk.post("/complete", { result: round }), ...beats()]);
      expect([completed.status, (await runOf(run_id)).status], `round ${round}`).toEqual([200, "completed"]);
    }
  });
});

describe("POST /sdk/v1/runs/{runID}/fail", () => {
  it("R14 retries the run, with the reported error", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    const response = await sdk.post("/fail", { error: { code: "upstream", message: "no luck" } });
    expect([response.status, response.body.status]).toEqual([200, "pending"]);
    expect(await runOf(run_id)).toMatchObject({ tries_used: 1, error: { code: "upstream", message: "no luck" } });
    expect((await sdk.post("/heartbeat")).body.code).toBe("stale_attempt");
  });

  it("R14 waits for the delay that the job requests", async () => {
    await world.clock.set("2032-01-01T00:00:00Z");
    const { run_id, sdk } = await runningRun(world, project);
    await sdk.post("/fail", { error: { message: "later" }, retry_after_secs: 1_800 });
    const at = Date.parse((await runOf(run_id)).scheduled_at) - Date.parse("2032-01-01T00:00:00Z");
    expect(at).toBeGreaterThanOrEqual(1_800_000);
  });

  it("R14 ends the run and dead-letters it if the error is not retryable", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    const response = await sdk.post("/fail", { error: { message: "never" }, retryable: false });
    expect(response.body.status).toBe("failed");
    const run = await runOf(run_id);
    expect(run).toMatchObject({ status: "failed", error: { code: "failed", message: "never" } });
    expect(run.dead_lettered_at).not.toBeNull();
  });

  it("R14 ends the run on the last try", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    await runSql(world.connection, "update runs set tries_used = 2 where id = $1", [run_id]);
    expect((await sdk.post("/fail", { error: { message: "x" } })).body.status).toBe("failed");
  });

  it("R14 leaves the run paused if a pause was requested", async () => {
    const { sdk } = await runningRun(world, project, { pause_requested: true });
    expect((await sdk.post("/fail", { error: { message: "x" } })).body.status).toBe("paused");
  });

  it.each<[object, string]>([
    [{}, "body.error"],
    [{ error: {} }, "body.error.message"],
    [{ error: { message: "x", stack: "y" } }, "body.error.stack"],
    [{ error: { message: "x" }, retry_after_secs: 3_601 }, "body.retry_after_secs"],
  ])("422 for %j", async (body, location) => {
    const { sdk } = await runningRun(world, project);
    const response = await sdk.post("/fail", body);
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
  });
});
