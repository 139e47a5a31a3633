import { beforeAll, expect, it } from "vitest";
import { findDueReceivers } from "../../../src/features/webhook-deliveries/find-due-receivers.ts";
import { IS_SUBSCRIBED } from "../../../src/features/webhook-subscriptions/publish-changes.ts";
import { runChanges } from "../../../src/platform/changelog/log-range.ts";
import { positionNow } from "../../../src/platform/changelog/sequence-changes.ts";
import { sql } from "../../../src/platform/database/sql.ts";
import { listener } from "../../oracles/published-events.ts";
import { seedDeliveries } from "../../seed/seed-delivery.ts";
import { seedRun } from "../../seed/seed-run.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld } from "./plan-world.ts";

let world: World;
beforeAll(async () => {
  world = await makePlanWorld();
});

it("due deliveries among 20,000 of one receiver are found by skipping over the others", async () => {
  const project = await world.project();
  await seedDeliveries(world.connection, project.id, 20_000, { url: "http://127.0.0.1:1024/" });
  await runSql(world.connection, "analyze webhook_deliveries");
  for (const plan of await plansOf(world.ctx, (ctx) => findDueReceivers(ctx, undefined, 256))) {
    expect(plan).toContain("webhook_deliveries_lane_idx");
    expect(plan).not.toMatch(/Seq Scan|Sort Key: d/);
  }
});

it("events read nothing of the log without subscriptions, and otherwise only rows of subscribed projects", async () => {
  const project = await world.project();
  await seedRun(world.connection, project.id);
  const range = { after: 0, to: await positionNow(world.ctx) };
  const plan = async () => {
    const statement = sql`explain (analyze, costs off, timing off, summary off)
      select l.* from ${runChanges(range)} where ${IS_SUBSCRIBED} order by l.position limit 10`;
    const { rows } = await statement.execute(world.ctx.db);
    return rows.map((row) => Object.values(row as object)[0]).join("\n");
  };
  expect(await plan()).toMatch(/One-Time Filter[\s\S]*never executed/);
  await listener(world, project.id);
  expect(await plan()).not.toContain("never executed");
});
