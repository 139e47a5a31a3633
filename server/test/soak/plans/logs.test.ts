import { beforeAll, describe, expect, it } from "vitest";
import type { ClaimedDrain } from "../../../src/features/log-drains/claim-drains.ts";
import { unsentLines } from "../../../src/features/log-drains/logs/read-records.ts";
import { findOldRecords } from "../../../src/features/log-drains/signal.ts";
import { unsentEnds } from "../../../src/features/log-drains/traces/read-ended.ts";
import { nextRange } from "../../../src/platform/changelog/log-range.ts";
import { sequenceChanges } from "../../../src/platform/changelog/sequence-changes.ts";
import { sql } from "../../../src/platform/database/sql.ts";
import { newId } from "../../../src/platform/ids.ts";
import { changesIn } from "../../../src/platform/streams/change-slices.ts";
import { appendRunChanges } from "../../seed/append-changes.ts";
import { seedDeliveries } from "../../seed/seed-delivery.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld } from "./plan-world.ts";

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makePlanWorld();
  project_id = (await world.project()).id;
  await runSql(
    world.connection,
    `with logged as (
       insert into run_transitions (project_id, run_id, ordinal, to_status, cause, attempt, created_at)
       select $1, gen_random_uuid(), 1, 'pending', 'test', 0, clock() + n * interval '1 ms'
       from generate_series(1, 30000) n returning *
     )
     ${appendRunChanges()}`,
    [project_id],
  );
  await seedDeliveries(world.connection, project_id, 3_000, { status: "delivered" });
  await sequenceChanges(world.ctx);
  await runSql(world.connection, "analyze run_transitions, webhook_deliveries, changelog");
});

describe("new changes are found by their position", () => {
  it("by a consumer, for its next range", async () => {
    for (const plan of await plansOf(world.ctx, (ctx) => nextRange(ctx, 29_900, 100).catch(() => undefined))) {
      expect(plan).toMatch(/Index Scan using changelog_pkey/);
      expect(plan).not.toMatch(/Seq Scan on changelog /);
    }
  });

  it("by streams, of runs and of deliveries", async () => {
    const watched = { project_ids: [project_id], log_run_ids: [newId()], states: ["webhook_delivery"] as const };
    const range = { after: 29_900, to: 30_100 };
    for (const plan of await plansOf(world.ctx, ({ db }) => sql`${changesIn(range, watched)}`.execute(db))) {
      expect(plan).toMatch(/Index Scan using changelog_pkey/);
      expect(plan).not.toMatch(/Seq Scan on (run_transitions_\d+|webhook_deliveries|changelog)\b/);
    }
  });

  it("by drains, of the lines of their project", async () => {
    const drain = { project_id, position: 100, after_id: newId(), min_level: "debug", job_ids: null } as ClaimedDrain;
    const any = { ...drain, environment_id: null };
    for (const plan of await plansOf(world.ctx, (ctx) => findOldRecords(ctx, unsentLines(any))))
      expect(plan).toMatch(/Index Scan using changelog_lines_idx/);
    for (const plan of await plansOf(world.ctx, (ctx) => findOldRecords(ctx, unsentEnds(any))))
      expect(plan).not.toMatch(/Seq Scan on (changelog|workflow_decisions_\d+)\b/);
  });
});
