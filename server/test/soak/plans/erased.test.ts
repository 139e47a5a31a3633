import { beforeAll, expect, it } from "vitest";
import { findErased } from "../../../src/flow/runs/maintain/erase-run.ts";
import { newId } from "../../../src/platform/ids.ts";
import { plansOf } from "../../statements/explain.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld } from "./plan-world.ts";

let world: World;
beforeAll(async () => {
  world = await makePlanWorld();
});

it("a run whose data was deleted is found by an index, even with a plan from an empty table", async () => {
  const plans = await plansOf(world.ctx, (ctx) => findErased(ctx, newId(), "run", [newId(), newId()]));
  for (const each of plans) expect(each).toMatch(/using audit_events_resource_idx/);
});
