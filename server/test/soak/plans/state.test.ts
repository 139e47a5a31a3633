import { beforeAll, expect, it } from "vitest";
import { readState } from "../../../src/features/operations/state/refresh-state.ts";
import { manyEnded, manyQueued } from "../../seed/bulk-rows.ts";
import { seedDeliveries } from "../../seed/seed-delivery.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import { makeJob } from "../../world/queue-world.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld } from "./plan-world.ts";

let world: World;
beforeAll(async () => {
  world = await makePlanWorld();
  await runSql(world.connection, "analyze");
});

/** They have a row, or a few. */
const SMALL = ["changelog_head", "log_cursors", "invariants", "pg_database"];
const INDEXES = [
  ...["run_queue_claim_idx", "run_queue_blocked_idx", "webhook_deliveries_lane_idx"],
  ...["outbox_lane_idx", "event_triggers_soonest_idx", "workflow_runs_due_idx", "workflow_runs_blocked_idx"],
  ...["changelog_pkey", "changelog_inbox_pkey", "buffered_events_expires_idx"],
];

async function expectIndexOrder(): Promise<void> {
  for (const plan of await plansOf(world.ctx, readState)) {
    const scanned = Array.from(plan.matchAll(/Seq Scan on (\S+)/g), ([, table]) => table ?? "");
    expect(
      scanned.filter((table) => !SMALL.includes(table)),
      plan,
    ).toEqual([]);
    expect(
      INDEXES.filter((index) => !plan.includes(index)),
      plan,
    ).toEqual([]);
    // Such a sort would read all entries before the limit applies; those for grouping come after it.
    expect(plan).not.toMatch(
      /Sort Key: [^\n]*\.(rank_at|blocked_on|next_attempt_at|expires_at|scheduled_at|created_at)/,
    );
  }
}

it("the metrics of the service's state are read by indexes, from empty tables and from 100,000 queued runs", async () => {
  await expectIndexOrder();
  const job = await makeJob(await world.project());
  await manyEnded(world.connection, job, 50_000);
  await manyQueued(world.connection, job, { count: 50_000, delay_secs: 86_400 });
  await manyQueued(world.connection, job, { count: 100_000 });
  await seedDeliveries(world.connection, job.project_id, 20_000, { url: "http://127.0.0.1:1024/" });
  await expectIndexOrder();
  await runSql(world.connection, "vacuum analyze");
  await expectIndexOrder();
  const rows = await readState(world.ctx);
  const counted = rows.find(({ figure, labels }) => figure === "backlog_runs" && labels.state === "ready");
  expect(counted?.value).toBe(20_000);
}, 180_000);
