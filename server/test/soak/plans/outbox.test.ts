import { beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../src/platform/ids.ts";
import { claimOutbox } from "../../../src/platform/outbox/claim-outbox.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import { makeWorld, type World } from "../../world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const REQUEST = {
  after: "00000000-0000-0000-0000-000000000000",
  room: 4,
  skipped_lanes: [{ project_id: newId(), kind: "emit", is_busy: true }],
  max_per_project: 2,
  batched: { kinds: ["progress"], max: 50 },
  max: 10,
};

/**
 * In index order: a plan that reads a lane as a set and sorts it reads all of it for each batch. What was picked is then
 * updated by key.
 */
async function expectIndexOrder(): Promise<void> {
  for (const plan of await plansOf(world.ctx, (ctx) => claimOutbox(ctx, REQUEST))) {
    const used = Array.from(plan.matchAll(/using (\S+)/g), ([, index]) => index);
    expect(new Set(used), plan).toEqual(new Set(["outbox_lane_idx", "outbox_pkey"]));
    expect(plan).toMatch(
      /Index Cond: \(\(project_id = ANY \(ARRAY\[p\.project_id\]\)\) AND \(transition_id = p\.transition_id\) AND \(target_id = /,
    );
    expect(plan).not.toMatch(/Seq Scan|Bitmap/);
  }
}

describe("a claim of outbox entries reads the oldest of each lane by the index", () => {
  it("among many entries of one project, before and after the table was analyzed", async () => {
    await runSql(
      world.connection,
      `insert into outbox (project_id, transition_id, kind, target_id, created_at)
       select $1, n::text, (array['emit', 'progress', 'cancel_run'])[1 + n % 3], 'x', clock()
       from generate_series(1, 100000) n`,
      [newId()],
    );
    await expectIndexOrder();
    await runSql(world.connection, "analyze outbox");
    await expectIndexOrder();
  });
});
