import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../outside/free-port.ts";
import { type ReadyService, serveOn, useServices } from "../../service/start-service.ts";
import { makeClient } from "../../world/client.ts";
import { cloneDatabase, dropDatabase, type TestConnection } from "../../world/database.ts";
import type { Hostile } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { nested } from "./hostile-values.ts";

useServices();

const MAX_BLOCK_MS = 50;
/** A busy machine adds to the measurement, and the first calls are not compiled yet: the smallest of a few counts. */
const TRIES = 5;

type Held = { held_ms: number; clock_ms: number; p99_ms: number };

let connection: TestConnection;
let service: ReadyService;
let hostile: Hostile;
let watchPort: number;
const figures: string[] = [];

const receiver = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "application/json");
  if (request.url === "/numbers") response.end(`[${"1,".repeat(520_000)}1]`);
  else response.end(request.url === "/nested" ? JSON.stringify(nested(60)) : "{}");
});

beforeAll(async () => {
  connection = await cloneDatabase();
  watchPort = await freePort();
  service = await serveOn(connection, {
    ALLOW_PRIVATE_ENDPOINTS: "true",
    RATE_LIMIT_API_PER_MINUTE: "0",
    RATE_LIMIT_TRIGGER_PER_MINUTE: "0",
    RATE_LIMIT_BULK_TRIGGER_PER_MINUTE: "0",
    NODE_OPTIONS: `--import=${new URL("event-loop-watch.mjs", import.meta.url).href}`,
    EVENT_LOOP_WATCH_PORT: String(watchPort),
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const project = await service.admin.post("/v1/projects", { name: "Hostile" });
  const key = await service.admin.post("/v1/api-keys", { name: "hostile", project_id: project.body.id });
  let made = 0;
  hostile = {
    api: makeClient(service.url, { authorization: `Bearer ${key.body.key}` }),
    endpoint: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    n: () => ++made,
  };
});
afterAll(async () => {
  console.info(figures.join("\n"));
  receiver.close();
  await service.kill();
  await dropDatabase(connection);
});

async function readWatch(): Promise<Held> {
  const response = await fetch(`http://127.0.0.1:${watchPort}`);
  return (await response.json()) as Held;
}

describe("a tenant with a valid key who sends the largest accepted input", () => {
  it.each(Object.entries(ATTACKS))("%s: blocks the event loop for at most 50 ms", async (name, attack) => {
    const fire = await attack(hostile);
    let least: Held | undefined;
    for (let nth = 0; nth < TRIES && (least?.held_ms ?? Number.POSITIVE_INFINITY) > MAX_BLOCK_MS; nth++) {
      await readWatch();
      await fire();
      const held = await readWatch();
      if (!least || held.held_ms < least.held_ms) least = held;
    }
    const { held_ms = 0, clock_ms = 0 } = least ?? {};
    figures.push(
      `${held_ms > MAX_BLOCK_MS ? "!!" : "  "} ${held_ms.toFixed(0).padStart(6)} ms of CPU, ${clock_ms.toFixed(0).padStart(6)} elapsed: ${name}`,
    );
    expect(held_ms).toBeLessThanOrEqual(MAX_BLOCK_MS);
  });
});
