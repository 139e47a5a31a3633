import { beforeAll, expect, it } from "vitest";
import { fireTogether } from "../../../src/flow/schedules/fire-schedule.ts";
import { recordFires } from "../../../src/flow/schedules/record-fires.ts";
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

const AT = "2020-01-01T00:00:00Z";
const due = () => ({ project_id, id: newId(), workflow_id: null, overlap_policy: "allow" as const, next_fire_at: AT });
const fire = () => ({
  ...{ schedule_id: newId(), scheduled_for: AT, next_fire_at: AT },
  ...{ outcome: "fired" as const, run_id: newId(), reason: null },
});

const STATEMENTS: Record<string, (ctx: Ctx) => Promise<unknown>> = {
  "locking due schedules": (ctx) => fireTogether(ctx, project_id, [due(), due()]),
  "recording fires": (ctx) => recordFires(within(ctx), project_id, [fire(), fire()]),
};

it("schedules that fire are found by their keys, also when many are due at the same time", async () => {
  await fill();
  for (const [name, work] of Object.entries(STATEMENTS)) {
    const plans = (await plansOf(world.ctx, work)).filter((plan) => /schedules s/.test(plan));
    expect(plans.length, name).toBeGreaterThan(0);
    for (const plan of plans) {
      expect(plan, `${name}\n${plan}`).not.toMatch(/Seq Scan on schedules|(using|on) schedules_(?!pkey)\w+/);
      expect(plan, `${name}\n${plan}`).toMatch(
        /using schedules_pkey on schedules s\w*[^\n]*\n\s*Index Cond: [^\n]* AND \(id = /,
      );
    }
  }
});

async function fill(): Promise<void> {
  await runSql(
    world.connection,
    `insert into schedules (project_id, id, job_id, cron, timezone, overlap_policy, next_fire_at, created_by, created_at, updated_at)
     select $1, gen_random_uuid(), gen_random_uuid(), '* * * * *', 'UTC', 'allow', clock(), 'test', clock(), clock()
     from generate_series(1, 20000)`,
    [project_id],
  );
  await runSql(world.connection, "analyze schedules");
}
