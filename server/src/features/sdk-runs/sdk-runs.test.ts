import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedJob } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const runOf = async (run_id: string) => {
  const [row] = await runSql<Record<string, unknown>>(world.connection, "select * from runs where id = $1", [run_id]);
  return row ?? {};
};
const rowsOf = (table: string, run_id: string) =>
  runSql<Record<string, unknown>>(world.connection, `select * from ${table} where run_id = $1 order by id`, [run_id]);
const placesOf = ({ body }: { body: { errors: { location: string }[] } }) => body.errors.map((each) => each.location);

describe("GET /sdk/v1/runs/{runID}", () => {
  it("R14 returns every specified field, but no variables", async () => {
    const run = await runningRun(world, project, { payload: { a: 1 }, metadata: { m: 2 }, tags: { t: "x" } });
    const { status, body } = await run.sdk.get("");
    expect([status, body]).toEqual([
      200,
      {
        $schema: `${world.url}/schemas/SdkRun.json`,
        id: run.run_id,
        job_id: run.job_id,
        attempt: 1,
        max_attempts: 3,
        tries_used: 0,
        payload: { a: 1 },
        metadata: { m: 2 },
        tags: { t: "x" },
        checkpoint: null,
        state: null,
        waits: [],
        deadline: run.deadline,
      },
    ]);
  });

  it("R14 the checkpoint is the event's payload, else the saved state, which is returned as well", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    await sdk.post("/checkpoint", { state: { page: 2 } });
    expect((await sdk.get("")).body).toMatchObject({ checkpoint: { page: 2 }, state: { page: 2 } });
    await runSql(world.connection, `update runs set checkpoint = '{"event": 1}' where id = $1`, [run_id]);
    expect((await sdk.get("")).body).toMatchObject({ checkpoint: { event: 1 }, state: { page: 2 } });
  });

  it("A4 401 without a token, 403 with another run's", async () => {
    const [mine, other] = [await runningRun(world, project), await runningRun(world, project)];
    const path = `/sdk/v1/runs/${mine.run_id}`;
    expect((await world.anonymous.get(path)).status).toBe(401);
    expect((await world.as(other.token).get(path)).status).toBe(403);
  });
});

describe("POST /sdk/v1/runs/{runID}/heartbeat", () => {
  it("R14 returns a fresh valid token and the deadline, with nothing requested of the job", async () => {
    const run = await runningRun(world, project);
    const { status, body } = await run.sdk.post("/heartbeat");
    expect([status, body]).toMatchObject([
      200,
      { deadline: run.deadline, cancel_requested: false, pause_requested: false },
    ]);
    expect((await world.as(body.token).get(`/sdk/v1/runs/${run.run_id}`)).status).toBe(200);
  });

  it("R14 reports a requested pause", async () => {
    const { sdk } = await runningRun(world, project, { pause_requested: true });
    expect((await sdk.post("/heartbeat")).body.pause_requested).toBe(true);
  });

  it("R14 makes the attempt of a canceled run stop; an older attempt is rejected", async () => {
    const run = await runningRun(world, project);
    await project.api.post(`/v1/runs/${run.run_id}/cancel`, {});
    const { status, body } = await run.sdk.post("/heartbeat");
    expect([status, body]).toMatchObject([200, { token: null, deadline: null, cancel_requested: true }]);
    expect((await run.sdk.post("/log", { message: "x" })).body.code).toBe("run_already_ended");
    await runSql(world.connection, "update runs set attempt = 2 where id = $1", [run.run_id]);
    expect((await run.sdk.post("/heartbeat")).status).toBe(410);
  });
});

describe("POST /sdk/v1/runs/{runID}/log", () => {
  it("R14 stores one line with its defaults", async () => {
    const run = await runningRun(world, project);
    expect((await run.sdk.post("/log", { message: "hello" })).body).toMatchObject({ accepted: 1 });
    expect(await rowsOf("run_logs", run.run_id)).toMatchObject([
      { project_id: project.id, job_id: run.job_id, attempt: 1, level: "info", message: "hello", fields: null },
    ]);
  });

  it("R14 stores a thousand lines in the order they were sent", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    const logs = Array.from({ length: 1_000 }, (_, n) => ({ level: "debug", message: `${n}`, fields: { n } }));
    expect((await sdk.post("/log", { logs })).body.accepted).toBe(1_000);
    const stored = await rowsOf("run_logs", run_id);
    expect(stored.map((row) => row.message)).toEqual(logs.map((line) => line.message));
    expect(stored[7]?.fields).toEqual({ n: 7 });
  });

  it("R14 keeps the time given by the job", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    await sdk.post("/log", { message: "x", logged_at: "2030-01-31T12:00:00+02:00" });
    const [row] = await rowsOf("run_logs", run_id);
    expect(row?.logged_at).toEqual(new Date("2030-01-31T10:00:00.000Z"));
  });

  it.each<[string, object, string]>([
    ["nothing", {}, "body.message"],
    ["a level alone", { level: "warn" }, "body.message"],
    ["both forms", { message: "a", logs: [{ message: "b" }] }, "body.message"],
    ["a level together with logs", { level: "warn", logs: [{ message: "b" }] }, "body.level"],
    ["an unknown level", { message: "a", level: "loud" }, "body.level"],
    ["no lines", { logs: [] }, "body.logs"],
    ["1,001 lines", { logs: Array.from({ length: 1_001 }, () => ({ message: "x" })) }, "body.logs"],
    ["a message above 16 KB", { message: "x".repeat(16_385) }, "body.message"],
    ["a line without a message", { logs: [{ message: "a" }, { level: "info" }] }, "body.logs[1].message"],
    [
      "a time outside PostgreSQL's range",
      { logs: [{ message: "a", logged_at: "0000-01-01T00:00:00Z" }] },
      "body.logs[0].logged_at",
    ],
  ])("422 for %s, with its location, and nothing is stored", async (_, body, location) => {
    const { run_id, sdk } = await runningRun(world, project);
    const response = await sdk.post("/log", body);
    expect(response.status).toBe(422);
    expect(placesOf(response)).toContain(location);
    expect(await rowsOf("run_logs", run_id)).toEqual([]);
  });
});

describe("POST /sdk/v1/runs/{runID}/checkpoint", () => {
  it("R14 keeps each state in the history, and the last one on the run", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    const first = await sdk.post("/checkpoint", { state: { page: 1 } });
    expect([first.status, Object.keys(first.body).toSorted()]).toEqual([200, ["$schema", "created_at", "id"]]);
    await sdk.post("/checkpoint", { state: null });
    expect((await rowsOf("run_checkpoints", run_id)).map((row) => row.state)).toEqual([{ page: 1 }, null]);
    expect((await runOf(run_id)).state).toBeNull();
  });

  it("R14 accepts 256 KB of state, and returns 422 for a byte more", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    expect((await sdk.post("/checkpoint", { state: "x".repeat(262_142) })).status).toBe(200);
    const refused = await sdk.post("/checkpoint", { state: "x".repeat(262_143) });
    expect([refused.status, placesOf(refused)]).toEqual([422, ["body.state"]]);
    expect(await rowsOf("run_checkpoints", run_id)).toHaveLength(1);
  });
});

describe("POST /sdk/v1/runs/{runID}/progress", () => {
  it("R14 shows the last reported progress on the run", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    await sdk.post("/progress", { percent: 10 });
    const { body } = await sdk.post("/progress", { percent: 62.5, message: "half" });
    expect(body).toMatchObject({ percent: 62.5, message: "half", updated_at: expect.stringMatching(/Z$/) });
    const { $schema: _, ...progress } = body;
    expect((await project.api.get(`/v1/runs/${run_id}`)).body.progress).toEqual(progress);
  });

  it.each<[object, string]>([
    [{ percent: -0.1 }, "body.percent"],
    [{ percent: 100.1 }, "body.percent"],
    [{}, "body.percent"],
    [{ percent: 1, message: "x".repeat(1_001) }, "body.message"],
  ])("422 for %j", async (body, location) => {
    const { sdk } = await runningRun(world, project);
    const response = await sdk.post("/progress", body);
    expect([response.status, placesOf(response)]).toEqual([422, [location]]);
  });
});

describe("POST /sdk/v1/runs/{runID}/usage", () => {
  it("R14 is stored, and added to the run's cost", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    await sdk.post("/usage", { cost_microusd: 100 });
    const usage = {
      provider: "p",
      model: "m",
      input_tokens: 7,
      output_tokens: 8,
      cost_microusd: 50,
      metadata: { a: 1 },
    };
    expect((await sdk.post("/usage", usage)).body).toMatchObject({ cost_microusd: 150, over_budget: false });
    const stored = await rowsOf("run_usage", run_id);
    expect(stored[1]).toMatchObject({ ...usage, input_tokens: "7", output_tokens: "8", cost_microusd: "50" });
    expect((await runOf(run_id)).cost_microusd).toBe("150");
  });

  it("R14 loses none of many concurrent reports", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    await Promise.all(Array.from({ length: 40 }, () => sdk.post("/usage", { cost_microusd: 3 })));
    expect((await runOf(run_id)).cost_microusd).toBe("120");
  });

  it("R14 fails the run permanently above max_cost_microusd, but not at it", async () => {
    const job = await seedJob(world.connection, project.id);
    await runSql(world.connection, "update job_versions set max_cost_microusd = 100 where id = $1", [job.version_id]);
    const { run_id, sdk } = await runningRun(world, project, { job_id: job.id });
    expect((await sdk.post("/usage", { cost_microusd: 100 })).body.over_budget).toBe(false);
    const over = await sdk.post("/usage", { cost_microusd: 1 });
    expect([over.status, over.body]).toMatchObject([200, { cost_microusd: 101, over_budget: true }]);
    expect(await runOf(run_id)).toMatchObject({ status: "failed", error: { code: "max_cost_exceeded" } });
    expect((await runOf(run_id)).dead_lettered_at).not.toBeNull();
    expect(await rowsOf("run_usage", run_id)).toHaveLength(2);
    expect((await sdk.post("/usage", {})).status).toBe(410);
  });

  it("R14 never adds up to a number that cannot be stored exactly", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    await runSql(world.connection, "update runs set cost_microusd = 9007199254740990 where id = $1", [run_id]);
    expect((await sdk.post("/usage", { cost_microusd: 5 })).body.cost_microusd).toBe(9_007_199_254_740_991);
  });
});

describe("POST /sdk/v1/runs/{runID}/tool-call", () => {
  it("R14 is stored completely; its status defaults to the one implied by the error", async () => {
    const { run_id, sdk } = await runningRun(world, project);
    await sdk.post("/tool-call", { name: "search", input: { q: "x" }, output: [1], duration_ms: 12 });
    await sdk.post("/tool-call", { name: "broken", error: "no" });
    await sdk.post("/tool-call", { name: "said", error: "warned", status: "completed" });
    expect(await rowsOf("run_tool_calls", run_id)).toMatchObject([
      { name: "search", status: "completed", input: { q: "x" }, output: [1], error: null, duration_ms: 12 },
      { name: "broken", status: "failed", input: null, output: null, error: "no", duration_ms: null },
      { name: "said", status: "completed", error: "warned" },
    ]);
  });

  it("422 without a name", async () => {
    const { sdk } = await runningRun(world, project);
    expect(placesOf(await sdk.post("/tool-call", {}))).toEqual(["body.name"]);
  });
});

describe("POST /sdk/v1/runs/{runID}/output", () => {
  it.each([null, 0, "", [], { a: [1] }])("R14 stores %j under its name", async (value) => {
    const { run_id, sdk } = await runningRun(world, project);
    expect((await sdk.post("/output", { name: "report", value })).status).toBe(200);
    expect(await rowsOf("run_outputs", run_id)).toMatchObject([{ name: "report", value, attempt: 1 }]);
  });
});

describe("POST /sdk/v1/runs/{runID}/metadata", () => {
  it("R14 is merged into the run's metadata by name; a list of tags is a shorthand", async () => {
    const { run_id, sdk } = await runningRun(world, project, { tags: { a: "1", b: "2" }, metadata: { x: 1, y: 2 } });
    const { body } = await sdk.post("/metadata", { tags: { b: "3" }, metadata: { y: null, z: [1] } });
    expect(body).toMatchObject({ tags: { a: "1", b: "3" }, metadata: { x: 1, y: null, z: [1] } });
    expect((await sdk.post("/metadata", { tags: ["eu"] })).body.tags).toEqual({ a: "1", b: "3", eu: "true" });
    expect((await runOf(run_id)).metadata).toEqual({ x: 1, y: null, z: [1] });
  });

  it("422 if the result exceeds a run's limit, and nothing changes", async () => {
    const tags = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`t${n}`, "x"]));
    const { run_id, sdk } = await runningRun(world, project, { tags });
    const refused = await sdk.post("/metadata", { tags: { more: "x" }, metadata: { a: 1 } });
    expect([refused.status, placesOf(refused)]).toEqual([422, ["body.tags"]]);
    expect(await runOf(run_id)).toMatchObject({ tags, metadata: {} });
  });
});
