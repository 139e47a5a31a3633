import { beforeAll, expect, it } from "vitest";
import { lockBlocked, unblock } from "../../../src/flow/budget/admit-blocked.ts";
import { recordRunCosts } from "../../../src/flow/budget/record-run-costs.ts";
import { returnReservations } from "../../../src/flow/budget/settle-budgets.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import { untilUp } from "../../world/until-up.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld, within } from "./plan-world.ts";

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makePlanWorld();
  await untilUp([world]);
  project_id = (await world.project()).id;
});

const place = { rank_at: "2030-01-01", run_id: newId(), microusd: 1 };

const range = { after: 700, to: 720 };

const STATEMENTS: Record<string, (ctx: Ctx) => Promise<unknown>> = {
  "locking the first blocked runs": (ctx) => lockBlocked(within(ctx), project_id, place),
  "unblocking runs": (ctx) => unblock(within(ctx), project_id, [place]),
  "recording transitions": (ctx) => recordRunCosts(within(ctx), range),
  "returning reservations": (ctx) => returnReservations(within(ctx), [project_id], range),
};

/** Rows of the large tables must be found by a key, or at the head of the blocked ones. */
const LARGE =
  /(?:Seq Scan on|Hash.*Cond.*) (runs|run_queue|budget_reservations|run_usage|run_transitions\w*|changelog)\b/;

it.each(["nothing", "many rows"])(
  "each statement of the budgets looks its rows up, planned with %s in the tables",
  async (what) => {
    if (what === "many rows") await fill();
    for (const [name, work] of Object.entries(STATEMENTS)) {
      for (const plan of await plansOf(world.ctx, work)) {
        expect(plan, `${name}\n${plan}`).not.toMatch(LARGE);
        expect(plan, `${name}\n${plan}`).not.toMatch(
          /Index (Only )?Scan using (runs|run_queue|budget_reservations)_pkey[^\n]*\n(?!\s*Index Cond)/,
        );
      }
    }
  },
);

async function fill(): Promise<void> {
  await runSql(
    world.connection,
    `insert into budget_reservations (project_id, run_id, microusd, created_at)
     select $1, gen_random_uuid(), 1, clock() from generate_series(1, 20000)`,
    [project_id],
  );
  await runSql(
    world.connection,
    `insert into run_queue (project_id, run_id, job_id, host, rank_at, run_at, blocked_on, timeout_secs)
     select $1, gen_random_uuid(), gen_random_uuid(), 'h', clock(), clock(), 'budget', 30 from generate_series(1, 20000)`,
    [project_id],
  );
  await runSql(world.connection, "analyze budget_reservations");
  await runSql(world.connection, "analyze run_queue");
}
