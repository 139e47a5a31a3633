import { beforeAll, describe, expect, it } from "vitest";
import { chainDepth, growTree } from "../../../src/flow/runs/create/loop-guards.ts";
import { claimEventIdentities } from "../../../src/flow/sources/claim-event-identities.ts";
import { listSubscriptions } from "../../../src/flow/sources/source-rows.ts";
import { consumeCancelKeys, hasCancelKeys, sweepCancelKeys } from "../../../src/flow/waits/consume-cancel-keys.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { seedRun } from "../../seed/seed-run.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld, within } from "./plan-world.ts";

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makePlanWorld();
  project_id = (await world.project()).id;
});

const source = () => ({
  ...{ project_id, id: newId(), slug: "s", enabled: true, payload_schema: null, revision: 1, dedup_window_secs: 60 },
});
const event = () => ({ project_id, send_id: newId(), event_key: "k", sent_by: "t" });

/** None of these statements may scan a whole table, whatever it holds. */
const STATEMENTS: Record<string, (ctx: Ctx) => Promise<unknown>> = {
  "whether a key cancels": (ctx) => hasCancelKeys(ctx, event()),
  "runs canceled by a key": (ctx) => consumeCancelKeys(within(ctx), { ...event(), is_prefix: false }),
  "runs canceled by a prefix": (ctx) => consumeCancelKeys(within(ctx), { ...event(), is_prefix: true }),
  "the sweep": (ctx) => sweepCancelKeys(ctx),
  "the depth of a chain": (ctx) => chainDepth(ctx, project_id, { kind: "run", id: newId() }),
  "growing a tree": (ctx) => growTree(ctx, project_id, newId()).catch(() => {}),
  "the subscriptions of a source": (ctx) => listSubscriptions(ctx, source(), null),
  "the names of an event": (ctx) => claimEventIdentities(within(ctx), source(), newId(), ["a", "b"]),
};

async function expectLookUps(): Promise<void> {
  for (const [what, work] of Object.entries(STATEMENTS)) {
    for (const plan of await plansOf(world.ctx, work)) {
      expect(
        plan.match(/Seq Scan on (runs|workflow_runs|cancel_keys|source_\w+|event_sub\w+|run_trees)\b.*/g),
        `${what}\n${plan}`,
      ).toBeNull();
    }
  }
}

describe("the statements of events and cancellations", () => {
  it("T17 look up their rows by index when the tables are empty", expectLookUps);

  it("T17 and when they are full", async () => {
    const run = await seedRun(world.connection, project_id, {});
    await runSql(
      world.connection,
      `insert into cancel_keys select $1, 'k' || n, gen_random_uuid(), 'run', $2, clock(), clock() from generate_series(1, 20000) n`,
      [project_id, run],
    );
    await runSql(world.connection, "analyze cancel_keys");
    await expectLookUps();
  });
});
