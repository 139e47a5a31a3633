import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { checkInvariants } from "../../../src/features/operations/invariants/check-invariants.ts";
import { runSql, type TestConnection } from "../../world/database.ts";
import { fillQueue, makeJob } from "../../world/queue-world.ts";
import { scenarioSize } from "../../world/size.ts";
import { makeWorld, type TestProject, type World } from "../../world/world.ts";

const RUNS = scenarioSize({ quick: 5_000, usual: 100_000, whole: 1_000_000 });
/** The first pages of a scan and the later ones cost the same; together the passes read every run. */
const PASSES = 50;
const EVERY_MS = 15_000;
const MOST_OF_A_CORE = 0.005;
const LIMITED = { max_concurrency: 5, max_concurrency_per_key: 1 };

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
}, 600_000);

describe("the checks of an engine instance", () => {
  it("take at most half a percent of a core while many runs are open", { timeout: 1_200_000 }, async () => {
    const plain = await makeJob(project);
    const limited = await makeJob(project, LIMITED);
    await fillQueue(world.ctx, plain, RUNS / 2);
    const keyed = Array.from({ length: RUNS / 2 }, (_, nth) => ({ concurrency_key: `key-${nth % (RUNS / 10)}` }));
    await fillQueue(world.ctx, limited, keyed);
    // As after claims that found no room: a tenth waits for the job, the others for one of many keys.
    await runSql(
      world.connection,
      `update run_queue set blocked_on = case when random() < 0.1 then 'job:' || job_id
         else 'key:' || job_id || ':' || concurrency_key end where job_id = $1`,
      [limited.id],
    );
    await runSql(
      world.connection,
      `insert into concurrency_counters (project_id, key, active)
       select distinct project_id, blocked_on, 5 from run_queue where blocked_on is not null on conflict do nothing`,
    );
    while (await world.tick("sum-changes"));
    await runSql(world.connection, "analyze");
    await checkInvariants(world.ctx);
    const before = await readCpuMs(world.connection);
    for (let pass = 0; pass < PASSES; pass++) await checkInvariants(world.ctx);
    const passMs = ((await readCpuMs(world.connection)) - before) / PASSES;
    const share = passMs / EVERY_MS;
    console.info(
      `${RUNS} open runs, ${RUNS / 10 + 1} limits that runs wait for: a pass takes ${passMs.toFixed(1)} ms of CPU, ` +
        `of this process and of PostgreSQL; ${(share * 100).toFixed(2)} % of a core`,
    );
    expect(share).toBeLessThanOrEqual(MOST_OF_A_CORE);
  });
});

const TICK_MS = 10;

/** Of this process, and of the sessions of the database, which Linux counts in ticks. */
async function readCpuMs(connection: TestConnection): Promise<number> {
  const { user, system } = process.cpuUsage();
  const sessions = await runSql<{ pid: number }>(
    connection,
    "select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  const ticks = sessions.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return (user + system) / 1_000 + ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}
