import { checkHistory } from "../harness/check.ts";
import type { Job } from "../harness/history.ts";
import { loadHistory, ofProject } from "../harness/load-history.ts";
import { disorder } from "../oracles/queue-order.ts";
import type { World } from "../world/world.ts";
import type { Simulation } from "./run.ts";

/**
 * Those that compare real times, or the moment of a fault with that of the rescue: virtual time stands still between
 * two steps, and nothing sweeps until the simulation chooses to.
 */
export const NOT_SIMULATED = ["I6", "S2", "S3"];

/** What is wrong after some simulations in one world, with the seed of each. */
export async function checkSimulations(world: World, simulations: readonly Simulation[]): Promise<string[]> {
  await consumeAll(world);
  const all = await loadHistory(world.connection, {
    ...{ is_settled: true, faults: [], timings: [], received_deliveries: [] },
    calls: simulations.flatMap(({ calls }) => calls),
    dispatches: simulations.flatMap(({ dispatches }) => dispatches),
    reports: simulations.flatMap(({ reports }) => reports),
  });
  const found = simulations.flatMap(({ seed, project, problems, healedSecs }) => {
    const history = ofProject(all, project.id);
    const violated = Object.entries(checkHistory({ ...history, jobs: history.jobs.map(withoutChangedLimits) }))
      .filter(([name]) => !NOT_SIMULATED.includes(name))
      .flatMap(([name, violations]) => violations.map((violation) => `${name}: ${violation}`));
    const late = healedSecs === undefined ? ["not everything had ended 120 s after the last fault"] : [];
    return [...problems, ...late, ...violated].map((what) => `TEST_SEED=${seed} ${what}`);
  });
  return [...found, ...(await disorder(world.connection))];
}

/** The history has the limits of today, and more runs may have been running when a lower one was set. */
function withoutChangedLimits(job: Job): Job {
  if (job.revision === 1) return job;
  return { ...job, max_concurrency: null, max_concurrency_per_key: null, rate_limit_max: null };
}

/** While runs change, the consumer of sums yields to them; an hour later none has changed recently. */
export async function consumeAll(world: World): Promise<void> {
  await world.clock.pass("1h");
  for (const consumer of ["sum-changes", "seal-audit"]) while (await world.tick(consumer));
}
