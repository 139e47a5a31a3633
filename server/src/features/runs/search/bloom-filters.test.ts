import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { testSeed } from "../../../../test/seed/seed.ts";
import { makeWorld, type World } from "../../../../test/world/world.ts";
import { sql } from "../../../platform/database/sql.ts";
import { bloomFiltersOf, mayHold } from "./bloom-filters.ts";

fc.configureGlobal({ seed: testSeed("bloom-filters") });

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** The positions of the runs that may have the terms. */
async function pass(runs: number[][], all_of: number[], any_of: number[][] = []): Promise<number[]> {
  const { rows } = await sql<{ nth: number }>`
    select nth::int from generate_series(1, ${runs.length}::int) as nth,
      (select ${bloomFiltersOf(runs)}::bytea as bloom_filters) as block
    where ${mayHold(all_of, any_of)} order by nth`.execute(world.ctx.db);
  return rows.map(({ nth }) => nth - 1);
}

const term = fc.integer({ min: 0, max: 2 ** 24 - 1 });
const holdings = fc.array(fc.array(term, { maxLength: 30 }), { minLength: 1, maxLength: 20 });

describe("the bit signatures of a block", () => {
  it("never exclude a run that has the terms", async () => {
    await fc.assert(
      fc.asyncProperty(holdings, fc.nat(), fc.nat(), async (runs, a, b) => {
        const known = [...runs.flat(), 7];
        const [one = 7, other = 7] = [known[a % known.length], known[b % known.length]];
        const places = runs.map((_, nth) => nth);
        const both = places.filter((nth) => runs[nth]?.includes(one) && runs[nth]?.includes(other));
        const either = places.filter((nth) => runs[nth]?.includes(one) || runs[nth]?.includes(other));
        expect(await pass(runs, [one, other])).toEqual(expect.arrayContaining(both));
        expect(await pass(runs, [], [[one, other]])).toEqual(expect.arrayContaining(either));
      }),
      { numRuns: 50 },
    );
  });

  it("exclude most runs that do not", async () => {
    const runs = Array.from({ length: 128 }, (_, nth) => Array.from({ length: 25 }, (_, n) => (nth * 25 + n) * 7_919));
    const passed = await pass(runs, [runs[5]?.[3] ?? 0]);
    expect(passed).toContain(5);
    expect(passed.length).toBeLessThan(16);
  });
});
