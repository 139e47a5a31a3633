import { beforeAll, describe, expect, it } from "vitest";
import { keepCommits } from "../harness/load-history.ts";
import { testSeed } from "../seed/seed.ts";
import { countDeadlocks } from "../statements/count-deadlocks.ts";
import { sizeOf } from "../world/size.ts";
import { makeWorld, type World } from "../world/world.ts";
import { dropReadyDatabases } from "../world/world-databases.ts";
import { checkSimulations } from "./check-simulations.ts";
import { openMembers, type Simulated } from "./members.ts";
import type { Simulation } from "./run.ts";
import { openScheduler, type Scheduler } from "./scheduler.ts";
import { simulate } from "./simulate.ts";

const SEEDS = Number(process.env.SEEDS ?? sizeOf(1, 200));
const INSTANCES = 3;

let world: World;
let scheduler: Scheduler;
let members: Simulated[];
beforeAll(async () => {
  await dropReadyDatabases();
  world = await makeWorld();
  await keepCommits(world.connection);
  scheduler = openScheduler(world.connection);
  members = await openMembers(world, scheduler, INSTANCES);
});

describe("three instances whose statements interleave at random, with crashes, lost connections and pauses", () => {
  it(
    "lose nothing, do nothing twice, and have done all work 120 s after the last fault",
    async () => {
      const first = testSeed("simulation");
      const done: Simulation[] = [];
      const startedAt = performance.now();
      for (let seed = first; seed < first + SEEDS; seed++) done.push(await simulate(world, scheduler, members, seed));
      const issues = await checkSimulations(world, done);
      console.info(figures(done, (performance.now() - startedAt) / 1_000));
      expect(issues).toEqual([]);
      expect(await countDeadlocks(world.connection)).toBe(0);
    },
    600_000 + SEEDS * 20_000,
  );
});

function figures(done: readonly Simulation[], secs: number): string {
  const sum = (of: keyof Simulation["counts"]) => done.reduce((total, { counts }) => total + counts[of], 0);
  const dispatches = done.reduce((total, each) => total + each.dispatches.length, 0);
  const slowest = Math.max(...done.map(({ healedSecs }) => healedSecs ?? Number.POSITIVE_INFINITY));
  return `${done.length} seeds in ${secs.toFixed(0)} s: ${sum("operations")} operations, ${sum("statements")} statements at gates, ${dispatches} dispatches, ${sum("crashes")} crashes, ${sum("lost")} lost connections, ${sum("freezes")} freezes; healed in at most ${slowest} s of virtual time`;
}
