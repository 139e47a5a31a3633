import { beforeAll, describe, expect, it } from "vitest";
import { type RunningRun, runningRun } from "../../../../test/seed/running-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
let run: RunningRun;
/** A run that has reported three of each kind of record. */
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  run = await runningRun(world, project);
  for (let n = 0; n < 3; n++) {
    await run.sdk.post("/log", { message: `line ${n}`, level: n === 1 ? "error" : "info", fields: { n } });
    await run.sdk.post("/checkpoint", { state: { n } });
    await run.sdk.post("/usage", { provider: "p", model: "m", input_tokens: n, output_tokens: 1, cost_microusd: n });
    await run.sdk.post("/tool-call", { name: `tool ${n}`, input: { n }, duration_ms: n });
    await run.sdk.post("/output", { name: `output ${n}`, value: n });
  }
});

const common = () => ({ id: expect.any(String), run_id: run.run_id, attempt: 1, created_at: expect.any(String) });

/** The rules that hold for every kind of record. */
async function expectList(kind: string, first: object): Promise<void> {
  const path = `/v1/runs/${run.run_id}/${kind}`;
  const { status, body } = await project.api.get(path);
  expect([status, body.data.length, body.has_more, body.next_cursor]).toEqual([200, 3, false, null]);
  expect(body.data[0]).toEqual({ ...common(), ...first });
  const ids = body.data.map((each: { id: string }) => each.id);
  expect(ids).toEqual(ids.toSorted());
  const one = (await project.api.get(`${path}?limit=2`)).body;
  const two = (await project.api.get(`${path}?limit=2&cursor=${one.next_cursor}`)).body;
  expect([...one.data, ...two.data]).toEqual(body.data);
  expect((await project.api.get(`${path}?order=desc`)).body.data).toEqual(body.data.toReversed());
}

async function expectGuarded(kind: string): Promise<void> {
  const path = `/v1/runs/${run.run_id}/${kind}`;
  const other = await world.project();
  expect((await other.api.get(path)).status).toBe(404);
  expect((await project.api.get(`/v1/runs/${newId()}/${kind}`)).status).toBe(404);
  const narrow = await project.newKey({ scopes: ["jobs:read"] });
  expect((await narrow.api.get(path)).body.code).toBe("scope_missing");
  const staging = (await project.api.get("/v1/environments/staging")).body.id;
  const bound = await project.newKey({ environment_id: staging });
  expect((await bound.api.get(path)).status).toBe(404);
}

describe("GET /v1/runs/{runID}/logs", () => {
  it("R13 lists log lines, oldest first, in pages", () =>
    expectList("logs", {
      job_id: run.job_id,
      level: "info",
      message: "line 0",
      fields: { n: 0 },
      logged_at: expect.any(String),
    }));

  it("R13 filters by level, and a cursor is bound to it", async () => {
    const path = `/v1/runs/${run.run_id}/logs`;
    const errors = (await project.api.get(`${path}?level=error`)).body.data;
    expect(errors.map((line: { message: string }) => line.message)).toEqual(["line 1"]);
    const { next_cursor } = (await project.api.get(`${path}?level=info&limit=1`)).body;
    expect((await project.api.get(`${path}?level=debug&cursor=${next_cursor}`)).status).toBe(400);
    expect((await project.api.get(`${path}?level=loud`)).status).toBe(422);
  });

  it("A2 404 for another project's run, 403 without runs:read", () => expectGuarded("logs"));
});

describe("GET /v1/runs/{runID}/checkpoints", () => {
  it("R13 lists checkpoints, oldest first, in pages", () => expectList("checkpoints", { state: { n: 0 } }));
  it("A2 404 for another project's run, 403 without runs:read", () => expectGuarded("checkpoints"));
});

describe("GET /v1/runs/{runID}/usage", () => {
  it("R13 lists usage, oldest first, in pages", () =>
    expectList("usage", {
      provider: "p",
      model: "m",
      input_tokens: 0,
      output_tokens: 1,
      cost_microusd: 0,
      metadata: null,
    }));
  it("A2 404 for another project's run, 403 without runs:read", () => expectGuarded("usage"));
});

describe("GET /v1/runs/{runID}/tool-calls", () => {
  it("R13 lists tool calls, oldest first, in pages", () =>
    expectList("tool-calls", {
      name: "tool 0",
      status: "completed",
      input: { n: 0 },
      output: null,
      error: null,
      duration_ms: 0,
    }));
  it("A2 404 for another project's run, 403 without runs:read", () => expectGuarded("tool-calls"));
});

describe("GET /v1/runs/{runID}/outputs", () => {
  it("R13 lists outputs, oldest first, in pages", () => expectList("outputs", { name: "output 0", value: 0 }));
  it("A2 404 for another project's run, 403 without runs:read", () => expectGuarded("outputs"));
});

describe("records with the same timestamp", () => {
  it("R13 are each shown once, in the order they were reported", async () => {
    const many = await runningRun(world, project);
    await many.sdk.post("/log", { logs: Array.from({ length: 25 }, (_, n) => ({ message: `${n}` })) });
    await runSql(world.connection, "update run_logs set created_at = '2030-01-01' where run_id = $1", [many.run_id]);
    const shown: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: string = `/v1/runs/${many.run_id}/logs?limit=7${cursor && `&cursor=${cursor}`}`;
      const { body } = await project.api.get(page);
      shown.push(...body.data.map((line: { message: string }) => line.message));
      cursor = body.next_cursor;
    }
    expect(shown).toEqual(Array.from({ length: 25 }, (_, n) => `${n}`));
  });
});
