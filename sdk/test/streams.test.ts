import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { until } from "../../server/test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../server/test/world/world.ts";
import { createClient } from "../src/client/create-client.ts";
import { ValidationError } from "../src/client/http/api-error.ts";
import type { ClientOptions } from "../src/client/http/connection.ts";

let world: World;
let project: TestProject;
const clientOf = (options: ClientOptions = {}) => createClient({ baseUrl: world.url, apiKey: project.key, ...options });

beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

describe("streams", () => {
  it("reopens a broken stream after its last event, without a gap", async () => {
    const endpoint = await jobEndpoint();
    const client = clientOf();
    await client.jobs.create({ name: "Streamed", slug: "streamed", endpoint_url: endpoint.url });
    const watched = await client.jobs.trigger("streamed", {});
    let cuts = 0;
    const cutting: typeof globalThis.fetch = async (url, init) => {
      const response = await globalThis.fetch(url, init);
      if (!String(url).includes("/stream") || !response.body || cuts >= 2) return response;
      cuts++;
      return new Response(response.body.pipeThrough(cutAfter(2)), response);
    };
    const seen: string[] = [];
    const stream = clientOf({ fetch: cutting }).topics.stream({ topics: `run:${watched.id}` });
    const reading = (async () => {
      for await (const { event, data } of stream) {
        if (event !== "change" || data.type !== "run.status") continue;
        const { status } = data.object as { status: string };
        seen.push(status);
        if (status === "completed") return;
      }
    })();
    await until("the first cut", 20_000, () => cuts > 0);
    await world.runUntilIdle();
    await reading;
    // The stream also includes its start while any transaction on this database server is older than the stream.
    expect(seen.filter((status) => status !== "pending")).toEqual(["running", "completed"]);
  });

  it("ends with the run, after its last log lines", async () => {
    const run = (await clientOf().runs.list({ job_id: "streamed" }).all(1))[0];
    const events = [];
    for await (const event of clientOf().runs.stream(run?.id ?? "")) events.push(event.event);
    expect(events).toEqual(["status"]);
    const kinds = [];
    for await (const { type } of clientOf()
      .runs.handle(run?.id ?? "")
      .stream())
      kinds.push(type);
    expect(kinds).toEqual(["status"]);
  });

  it("throws for a rejected stream without a retry, and ends an aborted one with the reason", async () => {
    const stream = clientOf().topics.stream({ topics: "nonsense" });
    await expect(stream.next()).rejects.toBeInstanceOf(ValidationError);
    const controller = new AbortController();
    const open = clientOf().topics.stream({ topics: "runs" }, { signal: controller.signal });
    expect((await open.next()).value?.event).toBe("open");
    const next = open.next();
    controller.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
  });
});

/** Cuts off a body after some chunks, like a broken connection. */
function cutAfter(chunks: number): TransformStream<Uint8Array, Uint8Array> {
  let left = chunks;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      left -= 1;
      if (left === 0) controller.error(new TypeError("terminated"));
    },
  });
}
