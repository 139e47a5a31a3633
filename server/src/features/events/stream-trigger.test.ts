import { beforeAll, describe, expect, it } from "vitest";
import { type ReadStream, readStream } from "../../../test/outside/read-stream.ts";
import { type SeedTrigger, seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { captureStatements } from "../../../test/statements/sent-statements.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { sendKeepalives } from "../../platform/streams/event-stream.ts";
import { triggerFeed } from "./stream-trigger.ts";

let world: World;
let project: TestProject;
/** Statements of this process on triggers: all, and those of the feed, which have unique text. */
const reads = { ofFeed: 0, all: 0 };
beforeAll(async () => {
  const { stop } = captureStatements((text) => {
    if (text.includes("event_triggers")) reads.all++;
    if (text.includes("join event_triggers t on t.project_id = k.project_id")) reads.ofFeed++;
  });
  world = await makeWorld();
  project = await world.project();
  return stop;
});

async function seed(trigger: SeedTrigger = {}, { id } = project) {
  const seeded = await seedTrigger(world.connection, id, trigger);
  return { ...seeded, path: `/v1/events/${encodeURIComponent(seeded.event_key)}` };
}

const open = (path: string, url = world.url) =>
  readStream(url, `${path}/stream`, { authorization: `Bearer ${project.key}` });
const statusesOf = ({ events }: ReadStream) =>
  events.filter(({ event }) => event === "status").map(({ data }) => data.status);

describe("GET /v1/events/{eventKey}/stream", () => {
  it("T13 sends the trigger at once, again when it changes, and ends", async () => {
    const { id, path } = await seed();
    const stream = await open(path);
    expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    expect(await stream.next("status")).toEqual((await project.api.get(path)).body);
    await project.api.post(`${path}/send`, { payload: { line: "a\n\nb" } });
    await stream.ended();
    expect(statusesOf(stream)).toEqual(["waiting", "received"]);
    expect(stream.events.at(-1)?.data).toMatchObject({ id, payload: { line: "a\n\nb" }, callback_url: null });
  });

  it.each(["received", "timed_out", "canceled"] as const)(
    "T13 sends a trigger that is %s, and ends",
    async (status) => {
      const { path } = await seed({ status });
      const stream = await open(path);
      await stream.ended();
      expect(statusesOf(stream)).toEqual([status]);
    },
  );

  it("T13 sends a cancel, and a change made on another instance", async () => {
    const other = await world.anotherInstance();
    const [here, there] = [await seed(), await seed()];
    const streams = [await open(here.path, other.url), await open(there.path, other.url)];
    for (const stream of streams) await stream.next("status");
    await project.api.delete(here.path);
    await project.api.post(`${there.path}/send`, { payload: 1 });
    for (const stream of streams) await stream.ended();
    expect(streams.map(statusesOf)).toEqual([
      ["waiting", "canceled"],
      ["waiting", "received"],
    ]);
  });

  it("T13 sends a keepalive, and nothing after the end", async () => {
    const { path } = await seed();
    const stream = await open(path);
    await stream.next("status");
    sendKeepalives(world.ctx);
    await stream.next("keepalive");
    expect(stream.events.map(({ event }) => event)).toEqual(["status", "keepalive"]);
    stream.close();
  });

  it("T13 finds a change whose wake-up was lost", async () => {
    const { id, path } = await seed();
    const stream = await open(path);
    await stream.next("status");
    await runSql(
      world.connection,
      `update event_triggers set prev_status = status, status = 'timed_out', finished_at = clock() where id = $1`,
      [id],
    );
    triggerFeed.checkAll(world.ctx);
    await stream.ended();
    expect(statusesOf(stream)).toEqual(["waiting", "timed_out"]);
  });

  it("T13 ends when the trigger is deleted", async () => {
    const { id, path } = await seed();
    const stream = await open(path);
    await stream.next("status");
    await runSql(world.connection, "delete from event_triggers where id = $1", [id]);
    triggerFeed.checkAll(world.ctx);
    await stream.ended();
    expect(statusesOf(stream)).toEqual(["waiting"]);
  });

  it("T13 follows the trigger that the key referred to at first, not a later one", async () => {
    const { event_key, path } = await seed();
    const stream = await open(path);
    await stream.next("status");
    await project.api.post(`${path}/send`, { payload: 1 });
    await seed({ event_key });
    await stream.ended();
    expect(statusesOf(stream)).toEqual(["waiting", "received"]);
  });

  it("A5 accepts ?token= instead of the header", async () => {
    const { path } = await seed({ status: "received" });
    const stream = await readStream(world.url, `${path}/stream?token=${project.key}`);
    expect(stream.status).toBe(200);
    await stream.ended();
    expect((await readStream(world.url, `${path}/stream?token=svc_no`)).status).toBe(401);
    expect((await readStream(world.url, `${path}/stream`)).status).toBe(401);
  });

  it("A2 404 for an unknown key and one of another project; needs events:read; shows no callback without events:send", async () => {
    const other = await world.project();
    const foreign = await seed({}, other);
    expect((await project.api.get(`${foreign.path}/stream`)).status).toBe(404);
    expect((await project.api.get(`/v1/events/${newId()}/stream`)).status).toBe(404);
    const { path } = await seed();
    const sender = await project.newKey({ scopes: ["events:send"] });
    expect((await sender.api.get(`${path}/stream`)).body.code).toBe("scope_missing");
    const reader = await project.newKey({ scopes: ["events:read"] });
    const stream = await readStream(world.url, `${path}/stream`, { authorization: `Bearer ${reader.key}` });
    expect((await stream.next("status")).callback_url).toBeNull();
    stream.close();
  });
});

const MANY = sizeOf(100, 1_000);

describe(`${MANY} streams`, { timeout: 120_000 }, () => {
  it("T13 share a few reads: no query per stream when they open, wait or all change", async () => {
    const first = await seed({ event_key: "crowd-0000" });
    await runSql(
      world.connection,
      `insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
         workflow_run_id, workflow_step_run_id, generation, status, expires_at, requested_at, created_at, updated_at)
       select project_id, gen_random_uuid(), 'crowd-' || lpad(n::text, 4, '0'), environment_id, 'workflow_step', 'event',
         'event', gen_random_uuid(), gen_random_uuid(), 1, 'waiting', expires_at, clock(), created_at, clock()
       from event_triggers, generate_series(1, $2::int) n where id = $1`,
      [first.id, MANY - 1],
    );
    reads.ofFeed = 0;
    const streams: ReadStream[] = [];
    for (let n = 0; n < MANY; n += 50) {
      const some = Array.from({ length: 50 }, (_, at) => `/v1/events/crowd-${String(n + at).padStart(4, "0")}`);
      streams.push(...(await Promise.all(some.map((path) => open(path)))));
    }
    await until("all to receive the change", 20_000, () => streams.every((stream) => statusesOf(stream).length === 1));
    expect(reads.ofFeed).toBeGreaterThan(0);
    // Streams that open within the same 20 ms share a read; how many do depends on the load.
    expect(reads.ofFeed).toBeLessThan(MANY);

    reads.all = 0;
    triggerFeed.checkAll(world.ctx);
    await until("the initial read", 20_000, () => reads.all > 0);
    sendKeepalives(world.ctx);
    await until("all keepalives", 20_000, () => streams.every(({ events }) => events.at(-1)?.event === "keepalive"));
    // The initial read, and those that the feed makes every 5 s.
    expect(reads.all).toBeLessThan(10);

    reads.ofFeed = 0;
    await project.api.post("/v1/events/prefix/crowd-/send", { payload: "all" });
    await until("all to end", 20_000, () => streams.every((stream) => stream.hasEnded()));
    expect(streams.every((stream) => statusesOf(stream).join() === "waiting,received")).toBe(true);
    expect(reads.ofFeed).toBeLessThan(20);
  });
});
