import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/database.ts";
import { plansOf } from "../../../test/explain.ts";
import { logsSettled } from "../../../test/logs-settled.ts";
import { seedDeliveries, seedDelivery } from "../../../test/seed-delivery.ts";
import { seedRun, seedRuns } from "../../../test/seed-run.ts";
import { makeWorld, type World } from "../../../test/world.ts";
import { newId } from "../ids.ts";
import { streamPlaceNow } from "./change-hub.ts";
import { readChanges } from "./read-changes.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("reading changes", () => {
  it("reads whole transactions, tells that there is more, and goes on behind them", async () => {
    const { id: project_id } = await world.project();
    const watched = { project_ids: [project_id], log_run_ids: [] };
    await logsSettled(world.connection);
    const before = await streamPlaceNow(world.ctx);
    const large = await seedRuns(world.connection, project_id, [{}, {}, {}, {}, {}]);
    const small = await seedRun(world.connection, project_id);
    await logsSettled(world.connection);
    const first = await readChanges(world.ctx, before, watched, 2);
    expect(first.changes.map(({ object_id }) => object_id)).toEqual(large.toSorted());
    expect(first.has_more).toBe(true);
    const second = await readChanges(world.ctx, { xid: first.upTo, ms: first.ms }, watched, 2);
    expect(second.changes.map(({ object_id }) => object_id)).toEqual([small]);
  });

  it("gives nothing of other projects, and goes on behind them too", async () => {
    const [own, other] = [await world.project(), await world.project()];
    await logsSettled(world.connection);
    const before = await streamPlaceNow(world.ctx);
    await seedRuns(world.connection, other.id, [{}, {}, {}]);
    await logsSettled(world.connection);
    const slice = await readChanges(world.ctx, before, { project_ids: [own.id], log_run_ids: [] }, 100);
    expect([slice.changes, slice.has_more]).toEqual([[], false]);
    expect(slice.upTo).toBeGreaterThan(before.xid);
  });

  it("finds new rows by the order of transactions, however long the logs are", async () => {
    const { id: project_id } = await world.project();
    await runSql(
      world.connection,
      `insert into run_transitions (project_id, run_id, ordinal, to_status, cause, attempt, created_at)
       select $1, gen_random_uuid(), 1, 'pending', 'test', 0, clock() from generate_series(1, 30000)`,
      [project_id],
    );
    await runSql(world.connection, "analyze run_transitions");
    await logsSettled(world.connection);
    const now = await streamPlaceNow(world.ctx);
    const watched = { project_ids: [project_id], log_run_ids: [newId()] };
    const [plan = ""] = await plansOf(world.ctx, (ctx) => readChanges(ctx, now, watched, 2_000).catch(() => {}));
    expect(plan).toMatch(/Index Scan using run_transitions_\w*xid/);
    expect(plan).not.toMatch(/Seq Scan on run_transitions_\d+/);
  });

  it("reads deliveries and batches only for those who watch them, and by the same order", async () => {
    const { id: project_id } = await world.project();
    await seedDeliveries(world.connection, project_id, 3_000, { status: "delivered" });
    await runSql(world.connection, "analyze webhook_deliveries");
    await logsSettled(world.connection);
    const now = await streamPlaceNow(world.ctx);
    const id = await seedDelivery(world.connection, project_id);
    await logsSettled(world.connection);
    const quiet = { project_ids: [project_id], log_run_ids: [] };
    expect((await readChanges(world.ctx, now, quiet, 100)).changes).toEqual([]);
    const watched = { ...quiet, states: ["webhook_delivery"] as const };
    const { changes } = await readChanges(world.ctx, now, watched, 100);
    expect(changes.map(({ kind, object_id }) => [kind, object_id])).toEqual([["webhook_delivery", id]]);
    const [plan = ""] = await plansOf(world.ctx, (ctx) => readChanges(ctx, now, watched, 2_000).catch(() => {}));
    expect(plan).toMatch(/webhook_deliveries_xid_idx/);
    expect(plan).not.toMatch(/Seq Scan on webhook_deliveries/);
  });
});
