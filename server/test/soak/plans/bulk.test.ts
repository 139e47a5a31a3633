import { beforeAll, describe, expect, it } from "vitest";
import { type RunSource, selectLive } from "../../../src/features/runs/bulk/bulk-selection.ts";
import { filterMatching, findNext } from "../../../src/features/runs/bulk/bulk-walk.ts";
import { recordReplays } from "../../../src/flow/runs/replay/replay-originals.ts";
import { collectTrees, findUnfinished } from "../../../src/flow/runs/stop/collect-trees.ts";
import { removeOldBatches } from "../../../src/platform/batches/remove-old-batches.ts";
import type { Ctx, ProjectCtx } from "../../../src/platform/context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { plansOf } from "../../statements/explain.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld, within } from "./plan-world.ts";

let world: World;
let asking: (ctx: Ctx) => ProjectCtx;
beforeAll(async () => {
  world = await makePlanWorld();
  const { caller, origin, session } = world.callerCtx();
  asking = (ctx) => ({ ...ctx, caller, origin, session, project_id: newId() });
});

const until = { id: newId(), created_at: "2030-01-01T00:00:00Z" };
const plan = { conditions: [{ key: "tag" as const, negated: false, values: ["a"] }] };

/** Full scans of growing tables: forbidden even in plans made while they were empty. */
const READS_ALL = /Seq Scan on (runs|run_queue|batch_items|batch_operations)\b/;

describe("statements of bulk work use index lookups, even when planned on empty tables", () => {
  it.each(["queue", "runs", "dead_letters"] satisfies RunSource[])("R10 the walk over %s", async (source) => {
    const plans = await plansOf(world.ctx, (ctx) => {
      const selection = { ...selectLive(asking(ctx), plan), sources: [source] };
      return findNext(asking(ctx), { selection, until }, null, 100).catch(() => undefined);
    });
    for (const each of plans) {
      expect(each).not.toMatch(READS_ALL);
      expect(each).toMatch(/Index (Only )?Scan using runs_pkey on runs r/);
    }
  });

  it("R10 checking which runs of a page still match, and their descendants", async () => {
    const ids = [newId(), newId()];
    const all = [
      ...(await plansOf(world.ctx, (ctx) => filterMatching(asking(ctx), selectLive(asking(ctx), plan), ids))),
      ...(await plansOf(world.ctx, (ctx) => collectTrees(ctx, newId(), ids, 10))),
      ...(await plansOf(world.ctx, (ctx) => findUnfinished(ctx, newId(), ids))),
    ];
    for (const each of all) expect(each).not.toMatch(READS_ALL);
  });

  it("R10 recording replayed runs", async () => {
    const replays = [{ run_id: newId(), replayed_by: newId() }];
    const plans = await plansOf(world.ctx, (ctx) => recordReplays(within(ctx), newId(), replays));
    for (const each of plans) expect(each).not.toMatch(READS_ALL);
  });

  it("R11 finding expired batches", async () => {
    for (const each of await plansOf(world.ctx, (ctx) => removeOldBatches(ctx, 1_000)))
      expect(each).not.toMatch(READS_ALL);
  });
});
