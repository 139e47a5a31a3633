import { beforeAll, describe, expect, it } from "vitest";
import { placeNow, readLog } from "../../../src/platform/changelog/read-log.ts";
import { newId } from "../../../src/platform/ids.ts";
import { streamPlaceNow } from "../../../src/platform/streams/change-hub.ts";
import { readChanges } from "../../../src/platform/streams/read-changes.ts";
import { runSql } from "../../database.ts";
import { plansOf } from "../../explain.ts";
import { logsSettled } from "../../logs-settled.ts";
import { seedDeliveries } from "../../seed-delivery.ts";
import type { World } from "../../world.ts";
import { makePlanWorld } from "./plan-world.ts";

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makePlanWorld();
  project_id = (await world.project()).id;
  await runSql(
    world.connection,
    `insert into run_transitions (project_id, run_id, ordinal, to_status, cause, attempt, created_at)
     select $1, gen_random_uuid(), 1, 'pending', 'test', 0, clock() from generate_series(1, 30000)`,
    [project_id],
  );
  await seedDeliveries(world.connection, project_id, 3_000, { status: "delivered" });
  await runSql(world.connection, "analyze run_transitions, webhook_deliveries");
  await logsSettled(world.connection);
});

const noRows = () => undefined;

describe("new rows of a log are found by the order of transactions", () => {
  it("by a consumer of one log", async () => {
    const place = await placeNow(world.ctx);
    for (const plan of await plansOf(world.ctx, (ctx) => readLog(ctx, "run_transitions", place, { most: 100 }))) {
      expect(plan).toMatch(/Index Scan using run_transitions_\w*xid_idx/);
      expect(plan).not.toMatch(/Seq Scan on run_transitions/);
    }
  });

  it("by streams, of runs and of deliveries", async () => {
    const now = await streamPlaceNow(world.ctx);
    const watched = { project_ids: [project_id], log_run_ids: [newId()], states: ["webhook_delivery"] as const };
    const [plan = ""] = await plansOf(world.ctx, (ctx) => readChanges(ctx, now, watched, 2_000).catch(noRows));
    expect(plan).toMatch(/Index Scan using run_transitions_\w*xid/);
    expect(plan).toMatch(/webhook_deliveries_xid_idx/);
    expect(plan).not.toMatch(/Seq Scan on (run_transitions_\d+|webhook_deliveries)/);
  });
});
