import { beforeAll, describe, expect, it } from "vitest";
import { dispatchBench } from "../../../test/costs/dispatch-bench.ts";
import { seedSubscription } from "../../../test/seed/seed-subscription.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});

async function pass(secs: number): Promise<void> {
  for (let n = 0; n < secs; n++) {
    await world.clock.pass("1s");
    await world.runUntilIdle();
  }
}

describe("GET /v1/endpoints", () => {
  it("R19 lists hosts by name with state, down time, next probe, waiting runs, latency and last error", async () => {
    const bench = await dispatchBench(world);
    const { api } = bench.project;
    const host = new URL(bench.endpoint.url).host;
    const job_id = await bench.job();
    await bench.job({ endpoint_url: "http://never.example/" });
    const list = async (query = "") => (await api.get(`/v1/endpoints${query}`)).body.data;
    const unknown = { host: "never.example", state: "unknown", waiting_runs: 0, latency_ms: null, jobs: 1 };
    expect(await list()).toMatchObject([{ host, state: "unknown", jobs: 1, last_error: null }, unknown]);

    await bench.trigger(job_id);
    await world.runUntilIdle();
    await world.tick("record-first-responses");
    const latency_ms = { p50: expect.any(Number), p95: expect.any(Number), responses: 1 };
    expect(await list("?state=up")).toMatchObject([{ host, down_since: null, next_probe_at: null, latency_ms }]);

    await bench.endpoint.close();
    const items = Array.from({ length: 6 }, (_, nth) => (nth < 2 ? { environment_id: "staging" } : {}));
    await api.post(`/v1/jobs/${job_id}/trigger/bulk`, { items });
    await world.runUntilIdle();
    await pass(1);
    const [down] = await list("?state=unreachable");
    expect(down).toMatchObject({ host, down_since: "2030-01-01T00:00:00.000Z", waiting_runs: 6 });
    expect(down.last_error).toContain("Could not connect to the endpoint");
    expect(Date.parse(down.next_probe_at)).toBeGreaterThan(Date.parse("2030-01-01T00:00:00Z"));
    const bound = await bench.project.newKey({ scopes: ["jobs:read"], environment_id: "production" });
    expect((await bound.api.get("/v1/endpoints?state=unreachable")).body.data).toMatchObject([{ waiting_runs: 4 }]);
    const first = (await api.get("/v1/endpoints?limit=1")).body;
    expect(first).toMatchObject({ data: [{ host }], has_more: true });
    const second = (await api.get(`/v1/endpoints?limit=1&cursor=${first.next_cursor}`)).body;
    expect(second).toMatchObject({ data: [unknown], has_more: false, next_cursor: null });
    expect((await (await world.project()).api.get("/v1/endpoints")).body.data).toEqual([]);
  });
});

describe("an endpoint that goes away and comes back", () => {
  it("R17 is explained on its waiting runs, and published as endpoint.unreachable and endpoint.recovered", async () => {
    const bench = await dispatchBench(world);
    const { api, id } = bench.project;
    const host = new URL(bench.endpoint.url).host;
    await seedSubscription(world.connection, id, { events: ["endpoint.*"] });
    const job_id = await bench.job();
    await bench.endpoint.close();
    const alone = await bench.trigger(job_id);
    await world.runUntilIdle();
    await world.tick("register-instance");
    const waiting = (await api.get(`/v1/runs/${alone}/explain`)).body;
    expect(waiting.blockers[0]).toMatchObject({ code: "backoff", evidence: { cause: "unreachable", tries_used: 0 } });
    expect(waiting.summary).toMatch(/has been down since 2030.*1 run is waiting\. The next attempt is due at/);

    await api.post(`/v1/jobs/${job_id}/trigger/bulk`, { items: Array.from({ length: 6 }, () => ({})) });
    await world.runUntilIdle();
    await pass(1);
    const { blockers, summary } = (await api.get(`/v1/runs/${alone}/explain`)).body;
    expect(blockers[0]).toMatchObject({ code: "circuit", evidence: { host, waiting_runs: 7 } });
    expect(summary).toMatch(/has been down since 2030.*7 runs are waiting\. The next probe is (in \d s|due now)\./);

    await bench.endpoint.reopen();
    await pass(5);
    expect((await bench.read(alone)).status).toBe("completed");
    const rows = await runSql<{ event_type: string; body: string; source_id: string }>(
      world.connection,
      "select event_type, body, source_id from webhook_deliveries where project_id = $1 order by created_at",
      [id],
    );
    expect(rows.map(({ event_type, source_id }) => [event_type, source_id])).toEqual([
      ["endpoint.unreachable", host],
      ["endpoint.recovered", host],
    ]);
    expect(JSON.parse(rows[0]?.body ?? "").data).toMatchObject({ host, last_error: expect.any(String) });
  });
});
