import { beforeAll, describe, expect, it, vi } from "vitest";
import { readStream } from "../../../test/outside/read-stream.ts";
import { until } from "../../../test/world/until.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { projectRoute, type Route } from "../route.ts";
import { type EventStream, endRevoked, sendKeepalives } from "./event-stream.ts";

/** The open streams, in the order they were opened, and how many were closed by their clients. */
const opened: EventStream[] = [];
let left = 0;
const closed = new Set<EventStream>();

const rows: Route[] = [
  projectRoute("GET /v1/test/live", {
    summary: "A stream",
    scope: "runs:read",
    streams: true,
    produces: "text/event-stream",
    run: async () => (stream) => {
      opened.push(stream);
      return () => {
        left++;
        closed.add(stream);
      };
    },
  }),
];

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld({ routes: rows });
  project = await world.project();
});

const path = "/v1/test/live";
const listen = async (url = world.url) => {
  const client = await readStream(url, path, { authorization: `Bearer ${project.key}` });
  const stream = opened.at(-1);
  if (!stream) throw new Error("nothing was opened");
  return { client, stream };
};
/** Whether everything sent fits into the kernel's buffers. */
const isFlushed = async (stream: EventStream) => {
  let isDone = false;
  void stream.flushed().then(() => (isDone = true));
  for (let turns = 0; turns < 50 && !isDone; turns++) await new Promise(setImmediate);
  return isDone;
};
const metric = async (pattern: RegExp) =>
  Number(pattern.exec((await world.admin.get("/metrics")).text)?.[1] ?? Number.NaN);

describe("a stream", () => {
  it("sends its headers at once, and disables buffering and caching by proxies", async () => {
    const { client } = await listen();
    expect(client.status).toBe(200);
    expect(client.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.any(String),
    });
    client.close();
  });

  it("carries named events with any JSON, and ends", async () => {
    const { client, stream } = await listen();
    const data = { text: "a\nb\r\n\u2028data: x\n\n", emoji: "🛰️", nothing: null };
    stream.send("status", data);
    stream.send("other", [1]);
    stream.end();
    await client.ended();
    expect(client.events).toEqual([
      { event: "status", data },
      { event: "other", data: [1] },
    ]);
  });

  it("sends keep-alives, all streams by one timer", async () => {
    const [one, two] = [await listen(), await listen()];
    sendKeepalives(world.ctx);
    for (const { client } of [one, two]) {
      await client.next("keepalive");
      client.close();
    }
  });

  it("T13 sends a keep-alive every 15 seconds while it is open", async () => {
    const other = await world.anotherInstance();
    const timers = vi.spyOn(globalThis, "setInterval");
    const streams = [await listen(other.url), await listen(other.url), await listen(other.url)];
    expect(timers.mock.calls.filter(([, ms]) => ms === 15_000)).toHaveLength(1);
    timers.mockRestore();
    for (const { client } of streams) client.close();
  });

  it("A11 ends when the key that opened it is revoked; streams of other keys continue", async () => {
    const { id, key } = await project.newKey();
    const revoked = await readStream(world.url, path, { authorization: `Bearer ${key}` });
    const [other, internal] = [
      await listen(),
      await readStream(world.url, `${path}?project_id=${project.id}`, { "x-internal-secret": INTERNAL_SECRET }),
    ];
    await endRevoked(world.ctx);
    expect(revoked.hasEnded()).toBe(false);
    await project.api.delete(`/v1/api-keys/${id}`);
    await endRevoked(world.ctx);
    await revoked.ended();
    await endRevoked(world.ctx);
    expect([other.client.hasEnded(), internal.hasEnded()]).toEqual([false, false]);
    other.client.close();
    internal.close();
  });

  it("is closed when its client disconnects, and then sends nothing more", async () => {
    const { client, stream } = await listen();
    const before = left;
    client.close();
    await until("the leave", 20_000, () => left === before + 1);
    stream.send("status", {});
    stream.end();
    sendKeepalives(world.ctx);
  });

  it("stops its source once when it ends by itself", async () => {
    const { client, stream } = await listen();
    const before = left;
    stream.end();
    stream.end();
    stream.send("late", {});
    await client.ended();
    await until("the leave", 20_000, () => left === before + 1);
    expect(client.events).toEqual([]);
  });

  it("disconnects a client that does not read, at about a megabyte unsent", async () => {
    const { client, stream } = await listen();
    const before = left;
    client.pause();
    let sent = 0;
    const piece = "x".repeat(64 * 1_024);
    await until("the cut", 20_000, () => {
      for (let i = 0; i < 16; i++) stream.send("much", piece);
      sent++;
      return left === before + 1;
    });
    // The kernel's own buffers come on top of the megabyte buffered here.
    expect(sent).toBeLessThan(40);
  });

  it("disconnects a client that does not read earlier, once all of them hold more than the instance's limit", async () => {
    const { url } = await world.anotherInstance({ max_unread_stream_bytes: 65_536 });
    const [holder, stalled, reader] = [await listen(url), await listen(url), await listen(url)];
    for (const { client } of [holder, stalled]) client.pause();
    holder.stream.send("much", "x".repeat(16 * 1_024 * 1_024)); // beyond the limit, and beyond the kernel's buffers
    while (await isFlushed(stalled.stream)) stalled.stream.send("some", "x".repeat(64 * 1_024));
    stalled.stream.send("one more", {});
    reader.stream.send("small", {});
    await until("the cut", 20_000, () => closed.has(stalled.stream));
    await reader.client.next("small");
    holder.client.close();
    reader.client.close();
  });

  it("sends one event of more than a megabyte to a client that reads", async () => {
    const { client, stream } = await listen();
    stream.send("large", "y".repeat(3 * 1_024 * 1_024));
    expect(await client.next("large")).toHaveLength(3 * 1_024 * 1_024);
    client.close();
  });

  it("is counted when it opens, with the time until then", async () => {
    const count = () => metric(/millrace_http_requests_total\{route="\/v1\/test\/live",status="200"\} (\d+)/);
    const seconds = () => metric(/millrace_http_request_duration_seconds_sum\{route="\/v1\/test\/live"\} ([\d.e-]+)/);
    const { client, stream } = await listen();
    const [opened_, spent] = [await count(), await seconds()];
    const before = left;
    stream.end();
    await client.ended();
    await until("the leave", 20_000, () => left === before + 1);
    expect([await count(), await seconds()]).toEqual([opened_, spent]);
    const other = await listen();
    expect(await count()).toBe(opened_ + 1);
    other.client.close();
  });

  it("handles HEAD without opening anything, and refuses before it opens", async () => {
    const before = opened.length;
    const head = await project.api.send("HEAD", path);
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect((await world.anonymous.get(path)).status).toBe(401);
    expect(opened.length).toBe(before);
  });

  it("A5 accepts ?token= instead of the header, and prefers the header", async () => {
    const client = await readStream(world.url, `${path}?token=${project.key}`);
    expect(client.status).toBe(200);
    client.close();
    const headers = { "x-internal-secret": INTERNAL_SECRET };
    expect((await readStream(world.url, `${path}?token=${project.key}`, headers)).status).toBe(422);
  });

  it("ends when its service stops, without delaying it", async () => {
    const other = await world.anotherInstance();
    const [reading, idle] = [await listen(other.url), await listen(other.url)];
    idle.client.pause();
    for (let i = 0; i < 10; i++) idle.stream.send("much", "x".repeat(900_000));
    const timers = vi.spyOn(globalThis, "setTimeout");
    await other.service.close();
    // The time that clients get to read the rest: half a second, and ten when a stream ends otherwise.
    expect(timers.mock.calls.filter(([, ms]) => ms === 500)).toHaveLength(2);
    timers.mockRestore();
    await reading.client.ended();
  });
});
