import { beforeAll, expect, it } from "vitest";
import { randomFrom } from "../../../test/seed/seed.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { claimSome, fillQueue, makeJob } from "../../../test/world/queue-world.ts";
import { isWholeSize } from "../../../test/world/size.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import type { ClaimedRun } from "../runs/claim/claimed-run.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

/** With seed 5, runs overtook each other when a limit did not know what else its waiters need. */
const SEEDS = isWholeSize() ? Array.from({ length: 30 }, (_, nth) => nth + 1) : [5];
const LIMITS = {
  max_concurrency: 4,
  rate_limit_keys: [
    { name: "tenant", key: "{{payload.tenant}}", max: 5, window_secs: 120 },
    { name: "region", key: "{{payload.region}}", max: 8, window_secs: 120 },
  ],
};
/** Half of the runs are one tenant's, which keeps its rate full; all tenants share the regions. */
const payloadOf = (nth: number) => ({ tenant: nth < 60 ? "large" : `t${nth % 6}`, region: `r${nth % 3}` });
const limitsOf = (nth: number) => Object.values(payloadOf(nth)).join();

it.each(SEEDS)(
  "R4 runs that need the same limits start in order, though each waits for another (seed %i)",
  async (seed) => {
    const random = randomFrom(seed);
    const job = await makeJob(project, LIMITS);
    const arrived: string[] = [];
    const running: ClaimedRun[] = [];
    const started: number[] = [];
    async function arrive(count: number): Promise<void> {
      const triggers = Array.from({ length: count }, (_, nth) => ({ payload: payloadOf(arrived.length + nth) }));
      arrived.push(...(await fillQueue(world.ctx, job, triggers)));
    }
    async function claim(): Promise<void> {
      const claimed = await claimSome(world.ctx, job, 1 + Math.floor(random() * 10));
      started.push(...claimed.map((run) => arrived.indexOf(run.run_id)));
      running.push(...claimed);
    }
    async function endSome(): Promise<void> {
      const first = running.findIndex(() => random() > 0.7);
      const ended = running.splice(0, first === -1 ? running.length : first);
      await settleRuns(
        world.ctx,
        ended.map((run) => ({ run, outcome: { kind: "completed", result_json: "null" } })),
      );
    }

    await arrive(100);
    for (let step = 0; step < 130; step++) {
      if (step === 4) await arrive(20);
      await claim();
      if (random() < 0.5) await claim();
      await endSome();
      await world.clock.pass("2s");
      if (random() < 0.8) await world.tick("release-rate-limits");
    }
    const overtaken = started.flatMap((run, nth) => {
      const before = started.slice(0, nth);
      const earlier = [...arrived.keys()].slice(0, run).filter((other) => limitsOf(other) === limitsOf(run));
      return earlier.filter((other) => !before.includes(other)).map((other) => `${run} before ${other}`);
    });
    expect(started.length).toBeGreaterThan(40);
    expect(overtaken).toEqual([]);
  },
);
