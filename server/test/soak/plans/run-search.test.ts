import { beforeAll, describe, expect, it } from "vitest";
import { describeWaiting } from "../../../src/features/runs/search/describe-runs.ts";
import { readAlike } from "../../../src/features/runs/search/read-alike.ts";
import { findCandidates, readRuns } from "../../../src/features/runs/search/search-queries.ts";
import type { ProjectCtx } from "../../../src/platform/context.ts";
import { sql } from "../../../src/platform/database/sql.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { newId } from "../../../src/platform/ids.ts";
import { plansOf } from "../../statements/explain.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld } from "./plan-world.ts";

let world: World;
let ctx: ProjectCtx;
beforeAll(async () => {
  world = await makePlanWorld();
  ctx = { ...world.callerCtx(), project_id: newId() };
});

describe("statements of the run search use their indexes, even when planned on empty tables", () => {
  it("find blocks by their tokens, and runs by their key", async () => {
    const range = { above: newId(), below: newId(), order: "desc" as const };
    const cursor = { position: 1 };
    const among = { statuses: ["failed"], all_of: [1], any_of: [[2, 3]], lasting: [[4]], blocks: 8, singles: 10 };
    const [candidates = ""] = await plansOf(ctx, (each) =>
      findCandidates({ ...ctx, ...each }, range, cursor, among).catch(() => 0),
    );
    expect(candidates).toContain("run_blocks_terms_idx");
    for (const plan of await plansOf(ctx, (each) => readRuns({ ...ctx, ...each }, [newId()], sql``, 10))) {
      expect(plan).toMatch(/Index Scan using runs_pkey on runs r/);
    }
  });

  it("read the runs of a block by their key", async () => {
    const ids = Array.from({ length: 128 }, newId);
    const plans = await plansOf(world.ctx, (each) => inTransaction(each, (tx) => readAlike(tx, ctx.project_id, ids)));
    for (const plan of plans) expect(plan).toMatch(/Index Scan using runs_pkey on runs r/);
  });

  it("find the next waiting runs to index", async () => {
    const plans = await plansOf(world.ctx, (each) => describeWaiting(each));
    expect(plans.find((plan) => plan.includes("unindexed_runs"))).toContain("unindexed_runs_undescribed_idx");
  });
});
