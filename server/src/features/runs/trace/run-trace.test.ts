import type { TraceSpan } from "@millrace/contract/runs/traces";
import { beforeAll, describe, expect, it } from "vitest";
import { type RunningRun, runningRun } from "../../../../test/seed/running-run.ts";
import { seedRun } from "../../../../test/seed/seed-run.ts";
import { waitingRun } from "../../../../test/seed/waiting-run.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
let run: RunningRun;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  run = await runningRun(world, project);
});

type Spans = Omit<TraceSpan, "$schema">[];

async function traced(id: string, { api }: Pick<TestProject, "api"> = project, query = ""): Promise<Spans> {
  const { status, body, text } = await api.get(`/v1/runs/${id}/trace${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
}

const ofKind = (spans: Spans, kind: string) => spans.filter((span) => span.kind === kind);

describe("GET /v1/runs/{runID}/trace", () => {
  it("has the run as root, its time in the queue, and its attempt with what that reported", async () => {
    await world.clock.pass("2s");
    await run.sdk.post("/log", { message: "hello", level: "warn", fields: { n: 1 } });
    await run.sdk.post("/tool-call", { name: "search", input: { q: 1 }, error: "no", duration_ms: 1_500 });
    const spans = await traced(run.run_id);
    const [root] = ofKind(spans, "run");
    const [attempt] = ofKind(spans, "attempt");
    expect(root).toMatchObject({ id: run.run_id, parent_id: null, status: "running", finished_at: null });
    expect(ofKind(spans, "queue")).toMatchObject([{ parent_id: run.run_id, finished_at: attempt?.started_at }]);
    expect(attempt).toMatchObject({ name: "Attempt 1", status: "running", finished_at: null, parent_id: run.run_id });
    const inside = { parent_id: attempt?.id, attempt: 1 };
    expect(ofKind(spans, "log")).toMatchObject([
      { ...inside, name: "hello", status: "warn", attributes: { fields: { n: 1 } } },
    ]);
    const [call] = ofKind(spans, "tool_call");
    expect(call).toMatchObject({ ...inside, name: "search", status: "failed", attributes: { error: "no" } });
    expect(Date.parse(call?.finished_at ?? "") - Date.parse(call?.started_at ?? "")).toBe(1_500);
  });

  it("shows the steps that the SDK stored in the state, and skips whatever else a job put there", async () => {
    const own = await runningRun(world, project);
    const spans = [
      { id: "render", attempt: 1, from_ms: 100, ms: 900 },
      { id: "send", attempt: 1, from_ms: 1_000, ms: 50, failed: true },
      { id: "other attempt", attempt: 7, from_ms: 0, ms: 1 },
      { id: "text", attempt: 1, from_ms: "1; drop", ms: 1 },
      { id: "huge", attempt: 1, from_ms: 1e300, ms: 1 },
      "nonsense",
    ];
    await own.sdk.post("/checkpoint", { state: { $steps: {}, $state: null, $spans: spans } });
    const all = await traced(own.run_id);
    const began = Date.parse(ofKind(all, "attempt")[0]?.started_at ?? "");
    const shown = ofKind(all, "step").map(({ name, status, started_at, finished_at }) => ({
      name,
      status,
      at: [Date.parse(started_at) - began, Date.parse(finished_at ?? "") - began],
    }));
    expect(shown).toEqual([
      { name: "render", status: "completed", at: [100, 1_000] },
      { name: "send", status: "failed", at: [1_000, 1_050] },
    ]);
    await own.sdk.post("/checkpoint", { state: { $spans: "not a list" } });
    expect(ofKind(await traced(own.run_id), "step")).toEqual([]);
  });

  it("says what a run waits for, only to callers who may read events", async () => {
    const { run_id } = await waitingRun(world, project, { event_key: "order-1.paid", timeout_secs: 60 });
    const [wait] = ofKind(await traced(run_id), "wait");
    expect(wait).toMatchObject({
      name: "Wait for order-1.paid",
      status: "waiting",
      finished_at: null,
      attributes: { wait_kind: "event", event_key: "order-1.paid" },
    });
    const narrow = await project.newKey({ scopes: ["runs:read"] });
    const [hidden] = ofKind(await traced(run_id, narrow), "wait");
    expect(hidden).toMatchObject({ id: wait?.id, name: "Wait", status: "waiting", attributes: { event_key: null } });
  });

  it("contains the spawned runs that the caller may read, as spans with a trace of their own", async () => {
    const own = await runningRun(world, project);
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const child = await seedRun(world.connection, project.id, { parent_run_id: own.run_id });
    const hidden = await seedRun(world.connection, project.id, { parent_run_id: own.run_id, environment_id: staging });
    const { environment_id } = (await project.api.get(`/v1/runs/${own.run_id}`)).body;
    const childrenOf = async (api: Pick<TestProject, "api">) =>
      ofKind(await traced(own.run_id, api), "run").flatMap(({ id, run_id }) => (id === own.run_id ? [] : [run_id]));
    expect((await childrenOf(project)).sort()).toEqual([child, hidden].sort());
    expect(await childrenOf(await project.newKey({ environment_id }))).toEqual([child]);
  });

  it("paginates without losing or repeating a span, and refuses a larger page", async () => {
    const own = await runningRun(world, project);
    const lines = Array.from({ length: 30 }, (_, n) => ({ message: `line ${n}`, level: "info" }));
    await own.sdk.post("/log", { logs: lines });
    const whole = (await traced(own.run_id)).map(({ id }) => id);
    const paged: string[] = [];
    let cursor = "";
    do {
      const { body } = await project.api.get(`/v1/runs/${own.run_id}/trace?limit=7${cursor && `&cursor=${cursor}`}`);
      paged.push(...body.data.map(({ id }: TraceSpan) => id));
      cursor = body.next_cursor ?? "";
    } while (cursor !== "");
    expect([paged, new Set(paged).size]).toEqual([whole, 33]);
    expect((await project.api.get(`/v1/runs/${own.run_id}/trace?limit=501`)).status).toBe(422);
  });

  it("404 for an unknown run and for another project's", async () => {
    expect((await project.api.get(`/v1/runs/${newId()}/trace`)).status).toBe(404);
    const other = await world.project();
    expect((await other.api.get(`/v1/runs/${run.run_id}/trace`)).status).toBe(404);
  });
});
