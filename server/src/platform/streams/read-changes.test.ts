import { beforeAll, describe, expect, it } from "vitest";
import { seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { seedRun, seedRuns } from "../../../test/seed/seed-run.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { positionNow, sequenceChanges } from "../changelog/sequence-changes.ts";
import { readChanges } from "./read-changes.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("reading changes", () => {
  it("reads whole statements, reports whether there is more, and continues after them", async () => {
    const { id: project_id } = await world.project();
    const watched = { project_ids: [project_id], log_run_ids: [] };
    const before = await positionNow(world.ctx);
    const large = await seedRuns(world.connection, project_id, [{}, {}, {}, {}, {}]);
    const small = await seedRun(world.connection, project_id);
    await sequenceChanges(world.ctx);
    const first = await readChanges(world.ctx, before, watched, 2);
    expect(first.changes.map(({ object_id }) => object_id)).toEqual(large.toSorted());
    expect(first.has_more).toBe(true);
    const second = await readChanges(world.ctx, first.upTo, watched, 2);
    expect(second.changes.map(({ object_id }) => object_id)).toEqual([small]);
  });

  it("returns nothing of other projects, and continues after them too", async () => {
    const [own, other] = [await world.project(), await world.project()];
    const before = await positionNow(world.ctx);
    await seedRuns(world.connection, other.id, [{}, {}, {}]);
    await sequenceChanges(world.ctx);
    const slice = await readChanges(world.ctx, before, { project_ids: [own.id], log_run_ids: [] }, 100);
    expect([slice.changes, slice.has_more]).toEqual([[], false]);
    expect(slice.upTo).toBeGreaterThan(before);
  });

  it("reads deliveries and batches only if they are watched", async () => {
    const { id: project_id } = await world.project();
    const now = await positionNow(world.ctx);
    const id = await seedDelivery(world.connection, project_id);
    await sequenceChanges(world.ctx);
    const quiet = { project_ids: [project_id], log_run_ids: [] };
    expect((await readChanges(world.ctx, now, quiet, 100)).changes).toEqual([]);
    const watched = { ...quiet, states: ["webhook_delivery"] as const };
    const { changes } = await readChanges(world.ctx, now, watched, 100);
    expect(changes.map(({ kind, object_id }) => [kind, object_id])).toEqual([["webhook_delivery", id]]);
  });
});
