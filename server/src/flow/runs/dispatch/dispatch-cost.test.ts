import { beforeAll, expect, it } from "vitest";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { sql } from "../../../platform/database/sql.ts";
import { priceOf } from "./dispatch-cost.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const TIMES_MS = [0, 1, 24, 25, 499, 500, 2 ** 31 - 1, 2 ** 31, 40_000_000_000];
const RATES = [0, 1, 20, 1_000_000_000, 2 ** 31 - 1, 2 ** 31, 1_000_000_000_000];

it("the price of a dispatch is rounded to whole micro-USD, up to the largest exact number", async () => {
  const { rows } = await sql<{ ms: number; rate: number; compute_microusd: number }>`
    select m.ms, r.rate, price.compute_microusd
    from unnest(${TIMES_MS}::bigint[]) as m(ms) cross join unnest(${RATES}::bigint[]) as r(rate)
    ${priceOf(sql`m.ms`, sql`r.rate`)}`.execute(world.ctx.db);
  expect(rows).toHaveLength(TIMES_MS.length * RATES.length);
  for (const { ms, rate, compute_microusd } of rows) {
    const exact = (BigInt(ms) * BigInt(rate) + 500n) / 1_000n;
    expect(compute_microusd).toBe(Math.min(Number(exact), Number.MAX_SAFE_INTEGER));
  }
});
