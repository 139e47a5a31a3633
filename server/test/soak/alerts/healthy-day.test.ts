import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALERT_KINDS } from "@millrace/contract/alerts/alert-kinds";
import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoRoutes } from "../../../src/demo/demo-routes.ts";
import { seedDemo } from "../../../src/demo/seed-demo.ts";
import type { Client } from "../../world/client.ts";
import { scenarioSize } from "../../world/size.ts";
import { makeWorld, type World } from "../../world/world.ts";

const MINUTES = scenarioSize({ quick: 90, usual: 1_440, whole: 1_440 });
/** An order needs a retry after some seconds, and perhaps two seconds of sleep. */
const SECS_OF_A_MINUTE = [0, 20, 40];
const START_MS = Date.parse("2030-06-15T00:00:00Z");
const TIMEOUT_MS = 3_600_000;

const dataDir = mkdtempSync(join(tmpdir(), "millrace-demo-"));
let world: World;
let api: Client;
let minute = 0;

beforeAll(async () => {
  // Its work takes no time: the clock moves between the steps of an order.
  world = await makeWorld({ config: { data_dir: dataDir }, routes: demoRoutes(async () => {}) });
  await world.clock.set(new Date(START_MS).toISOString());
  await world.tick("keep-partitions");
  await seedDemo(world.ctx, world.url);
  api = world.as((await world.admin.post("/v1/api-keys", { name: "on call", project_id: "demo" })).body.key);
}, 120_000);

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** The demo continues: every due task runs, the evaluation of alert rules included. */
async function pass(minutes: number): Promise<void> {
  for (const until = minute + minutes; minute < until; minute++) {
    for (const secs of SECS_OF_A_MINUTE) {
      await world.clock.set(new Date(START_MS + minute * 60_000 + secs * 1_000).toISOString());
      await world.runUntilIdle();
    }
    if (minute % 60 === 0) await world.tick("keep-partitions");
  }
}

/** What the demo asks of its user: replay the run that failed on purpose. Errors that a retry fixes are ignored. */
async function tidyUp(): Promise<void> {
  const [failed] = (await api.get("/v1/runs?status=failed")).body.data;
  await api.post(`/v1/runs/${failed.id}/replay`, { payload: { customer: "ada", plan: "paid" } });
  for (const { id } of (await api.get("/v1/error-issues?status=open")).body.data)
    await api.post(`/v1/error-issues/${id}/ignore`);
  // Orders cost more in a day than the demo's budget, which is there to warn.
  await api.put("/v1/project-budget", { monthly_budget_microusd: 10_000_000, action: "notify" });
}

const rules = async (): Promise<AlertRule[]> => (await api.get("/v1/alert-rules?limit=100")).body.data;
const alerts = async () => (await api.get("/v1/alerts")).body.data.map((alert: object) => ({ ...alert, detail: null }));

describe("a day of the demo with a rule of every kind", () => {
  it(
    "L2 fires nothing, and then fires for a fault",
    async () => {
      await pass(10);
      await tidyUp();
      for (const kind of ALERT_KINDS)
        expect((await api.post("/v1/alert-rules", { name: kind, kind })).status).toBe(201);
      const startedAt = performance.now();
      await pass(MINUTES);
      const speed = Math.round((MINUTES * 60_000) / (performance.now() - startedAt));
      const { total } = (await api.get(`/v1/analytics/timeseries?from=${new Date(START_MS).toISOString()}`)).body;
      console.info(`${MINUTES} minutes at ${speed} times their speed: ${JSON.stringify(total)}`);

      expect(await alerts()).toEqual([]);
      expect((await rules()).map(({ state }) => state)).toEqual((await rules()).map(() => "ok"));
      // Guards against a day in which nothing happened.
      expect(total.completed).toBeGreaterThan(7 * MINUTES);

      const [schedule] = (await api.get("/v1/schedules")).body.data;
      await api.post(`/v1/schedules/${schedule.id}/pause`);
      await pass(63);
      expect(await alerts()).toMatchObject([{ kind: "no_success", status: "firing" }]);
    },
    TIMEOUT_MS,
  );
});
