import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { until } from "../../../test/world/until.ts";
import type { World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

describe("GET /v1/workers", () => {
  it("lists a live worker with what it serves and holds; it is gone after a minute", async () => {
    const { api, key_id } = await world.project();
    await api.post("/v1/jobs", { name: "Mail", delivery: "pull" });
    await api.post("/v1/jobs/mail/trigger", {});
    const info = { name: "host-1", version: "1.2.3", labels: { zone: "a" }, concurrency: 4 };
    await api.post("/worker/v1/claims", {
      worker_id: "w",
      claim_id: randomUUID(),
      queues: ["default"],
      jobs: ["mail"],
      info,
    });
    const list = async () => (await api.get("/v1/workers?queue=default")).body.data;
    await until("the worker to be listed", 20_000, async () => (await list()).length === 1);
    expect(await list()).toMatchObject([
      { worker_id: "w", ...info, queues: ["default"], jobs: ["mail"], in_flight: 1, api_key_id: key_id },
    ]);
    await world.clock.pass("61s");
    expect(await list()).toEqual([]);
  });
});
