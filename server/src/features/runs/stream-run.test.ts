import { RunState } from "@millrace/contract/deliveries/streams";
import { beforeAll, describe, expect, it } from "vitest";
import { readStream } from "../../../test/outside/read-stream.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { sendKeepalives } from "../../platform/streams/event-stream.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

function follow(id: string, headers: Record<string, string> = {}) {
  return readStream(world.url, `/v1/runs/${id}/stream`, { authorization: `Bearer ${project.key}`, ...headers });
}

const isStatus = (status: string) => (run: { status: string }) => run.status === status;

describe("GET /v1/runs/{runID}/stream", () => {
  it("T13 sends `status` at once and at each change, `log` for each line, and closes when the run ends", async () => {
    const run = await runningRun(world, project);
    const stream = await follow(run.run_id);
    expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    await stream.next("status", isStatus("running"));
    await run.sdk.post("/progress", { percent: 50, message: "half" });
    await stream.next("status", (state) => state.progress?.percent === 50);
    for (const message of ["first", "second", "last"]) await run.sdk.post("/log", { message });
    await run.sdk.post("/complete", { result: { response: 42 } });
    const last = await stream.next("status", isStatus("completed"));
    expect(last.result).toEqual({ response: 42 });
    await stream.ended();
    const lines = stream.events.filter(({ event }) => event === "log");
    expect(lines.map(({ data }) => data.message)).toEqual(["first", "second", "last"]);
    expect(lines[0]?.data).toMatchObject({ run_id: run.run_id, level: "info", attempt: run.attempt });
  });

  it("sends neither payload nor metadata: they would be repeated at each change", async () => {
    const stream = await follow(await seedRun(world.connection, project.id, { status: "completed" }));
    const state = await stream.next("status");
    const fields = Object.keys((RunState as unknown as { properties: object }).properties);
    expect(Object.keys(state).toSorted()).toEqual(fields.filter((name) => name !== "$schema").toSorted());
    expect(state).not.toHaveProperty("payload");
  });

  it("T13 sends the state of an ended run and closes at once", async () => {
    const stream = await follow(await seedRun(world.connection, project.id, { status: "failed" }));
    await stream.ended();
    expect(stream.events.map(({ event }) => event)).toEqual(["status"]);
  });

  it("resumes with the lines after Last-Event-ID, even if the run has ended meanwhile", async () => {
    const run = await runningRun(world, project);
    const first = await follow(run.run_id);
    for (const message of ["one", "two"]) await run.sdk.post("/log", { message });
    await first.next("log", ({ message }) => message === "two");
    first.close();
    const one = first.events.find(({ data }) => data?.message === "one");
    await run.sdk.post("/log", { message: "three" });
    await run.sdk.post("/complete", {});
    const again = await follow(run.run_id, { "last-event-id": one?.id ?? "" });
    await again.ended();
    const lines = again.events.filter(({ event }) => event === "log");
    expect(lines.map(({ data }) => data.message)).toEqual(["two", "three"]);
    expect(again.events.some(({ event, data }) => event === "status" && data.status === "completed")).toBe(true);
  });

  it("misses no line if the connection is lost before the first one", async () => {
    const run = await runningRun(world, project);
    const first = await follow(run.run_id);
    await first.next("status");
    first.close();
    for (const message of ["one", "two"]) await run.sdk.post("/log", { message });
    await run.sdk.post("/complete", {});
    const place = first.events.findLast(({ id }) => id !== undefined)?.id;
    const again = await follow(run.run_id, { "last-event-id": place ?? "" });
    await again.ended();
    const lines = again.events.filter(({ event }) => event === "log");
    expect(lines.map(({ data }) => data.message)).toEqual(["one", "two"]);
  });

  it("T13 sends keepalives", async () => {
    const stream = await follow(await seedRun(world.connection, project.id));
    await stream.next("status");
    sendKeepalives(world.ctx);
    await stream.next("keepalive");
    stream.close();
  });

  it("A5 accepts its credential from ?token=", async () => {
    const id = await seedRun(world.connection, project.id, { status: "completed" });
    const stream = await readStream(world.url, `/v1/runs/${id}/stream?token=${project.key}`);
    expect(stream.status).toBe(200);
    await stream.ended();
    expect((await readStream(world.url, `/v1/runs/${id}/stream?token=junk`)).status).toBe(401);
  });

  it("404 for an unknown run, 400 for an invalid id", async () => {
    expect((await follow(newId())).status).toBe(404);
    const id = await seedRun(world.connection, project.id);
    expect((await follow(id, { "last-event-id": "junk" })).status).toBe(400);
  });
});
