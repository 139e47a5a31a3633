import { beforeAll, describe, expect, it } from "vitest";
import { lockDueOfRuns, lockDueOfSteps } from "../../../src/flow/events/resolve-due-triggers.ts";
import { findByPrefix } from "../../../src/flow/events/send-prefix.ts";
import { takeBuffered } from "../../../src/flow/waits/buffered-events.ts";
import { resumeRuns } from "../../../src/flow/waits/end-run-waits.ts";
import { endTriggers } from "../../../src/flow/waits/end-triggers.ts";
import { lockEventKeys } from "../../../src/flow/waits/event-keys.ts";
import { findWaiting, readWaits } from "../../../src/flow/waits/find-trigger.ts";
import { deleteTriggers } from "../../../src/flow/waits/purge-triggers.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { sql } from "../../../src/platform/database/sql.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { newId } from "../../../src/platform/ids.ts";
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

const trigger_id = newId();

const ALL = { ofProject: sql``, max: 500 };

type Planned = { indexes: string[]; work: (ctx: Ctx) => Promise<unknown> };

/** A statement of each hot path, and the only indexes it may use. */
const STATEMENTS: Record<string, Planned> = {
  "an exact send": {
    indexes: ["event_triggers_waiting_key_idx"],
    work: (ctx) => findWaiting(ctx, { project_id, event_key: "k5" }),
  },
  "a page of a prefix send": {
    indexes: ["event_triggers_waiting_key_idx"],
    work: (ctx) =>
      findByPrefix(ctx, { project_id, prefix: "k5" }, { started_at: "2030-01-01", after: "k50", max: 500 }),
  },
  "the timer of runs": { indexes: ["event_triggers_soonest_idx"], work: (ctx) => lockDueOfRuns(within(ctx), ALL) },
  "the timer of steps": {
    indexes: ["event_triggers_soonest_idx", "workflow_runs_pkey"],
    work: (ctx) => lockDueOfSteps(within(ctx), ALL),
  },
  "ending a trigger": {
    indexes: ["event_triggers_pkey", "webhook_subscriptions_enabled_idx", "webhook_subscriptions_pkey"],
    work: (ctx) =>
      endTriggers(within(ctx), [{ project_id, trigger_id }], { status: "received", payload: 1, sent_by: "t" }),
  },
  "resuming a run": {
    indexes: ["runs_pkey", "event_triggers_pkey"],
    work: (ctx) => resumeRuns(within(ctx), [{ project_id, run_id: newId(), trigger_id }]),
  },
  "the waits of a dispatch": {
    indexes: ["event_triggers_job_run_idx"],
    work: (ctx) => readWaits(ctx, { project_id, run_id: newId() }),
  },
  "a buffered event": {
    indexes: ["buffered_events_key_idx", "buffered_events_pkey"],
    work: (ctx) => takeBuffered(within(ctx), [{ project_id, event_key: "k5" }]),
  },
  retention: {
    indexes: ["event_triggers_ended_idx", "event_triggers_pkey", "runs_pkey"],
    work: (ctx) => deleteTriggers(within(ctx), sql`t.finished_at < clock() - interval '30 days'`, 500),
  },
};

async function expectIndexes(): Promise<void> {
  for (const [what, { indexes, work }] of Object.entries(STATEMENTS)) {
    for (const plan of await plansOf(world.ctx, work)) {
      const used = Array.from(plan.matchAll(/(?:using|Bitmap Index Scan on) (\S+)/g), ([, index]) => index);
      expect(used.length, `${what}\n${plan}`).toBeGreaterThan(0);
      expect(
        used.filter((index) => !indexes.includes(index ?? "")),
        `${what}\n${plan}`,
      ).toEqual([]);
      expect(plan, what).not.toContain("Seq Scan");
    }
  }
}

describe("the plans of waits", () => {
  it("T2 find their rows by an index while the tables are empty", expectIndexes);

  it("T2 are prepared once, for a send and for its receiver", async () => {
    const key = { project_id, event_key: "kept" };
    const wait = { project_id, trigger_id, run_id: newId() };
    const plans = await inTransaction(world.ctx, async (tx) => {
      for (let call = 0; call < 7; call++) {
        await lockEventKeys(tx, [key]);
        await findWaiting(tx, key);
        await endTriggers(tx, [wait], { status: "received", payload: 1, sent_by: "t" });
        await resumeRuns(tx, [wait]);
      }
      const { rows } = await sql<{ generic_plans: number; statement: string }>`
        select generic_plans, statement from pg_prepared_statements where custom_plans + generic_plans >= 5`.execute(
        tx.db,
      );
      return rows;
    });
    expect(plans.length).toBeGreaterThanOrEqual(4);
    expect(plans.filter(({ generic_plans }) => generic_plans === 0)).toEqual([]);
  });

  it("T2 and among many waiting and many ended triggers", async () => {
    await runSql(
      world.connection,
      `insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
         workflow_run_id, workflow_step_run_id, generation, status, prev_status, expires_at, requested_at, finished_at,
         created_at, updated_at)
       select $1, gen_random_uuid(), 'k' || n, $2, 'workflow_step', 'event', 'event', gen_random_uuid(),
         gen_random_uuid(), 1, case when n % 2 = 0 then 'waiting' else 'received' end,
         case when n % 2 = 1 then 'waiting' end, clock() + n * interval '1 second', clock(),
         case when n % 2 = 1 then clock() end, clock(), clock()
       from generate_series(1, 20000) n`,
      [project_id, newId()],
    );
    await expectIndexes();
    await runSql(world.connection, "analyze event_triggers");
    await expectIndexes();
  });
});
