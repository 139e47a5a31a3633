import { beforeAll, describe, expect, it } from "vitest";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
let [loud, quiet]: [TestProject, TestProject] = [] as never;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  loud = await world.project();
  // Many projects without due rows lie between the two.
  for (let nth = 0; nth < 3; nth++) await world.project();
  quiet = await world.project();
});

/** Rows that become due, and how to insert them: a number of rows of a project, due since a time. */
const TASKS: Record<string, { rows: number; insert: string; isOpen: string }> = {
  "release-due-runs": {
    rows: 1_500,
    insert: `insert into run_queue (project_id, run_id, job_id, host, rank_at, run_at, blocked_on, timeout_secs)
      select $1, gen_random_uuid(), $2, 'h', $4, $4, 'not_due', 300 from generate_series(1, $3::int)`,
    isOpen: "select 1 from run_queue where project_id = $1 and blocked_on = 'not_due'",
  },
  "release-rate-limits": {
    rows: 150,
    insert: `insert into rate_windows (project_id, key, job_id, window_secs, starts, last_slot, next_at, updated_at)
      select $1, 'rate:' || $2::text || ':' || n, $2::uuid, 60, '{1}', 1, $4, clock() from generate_series(1, $3::int) as n`,
    isOpen: "select 1 from rate_windows where project_id = $1 and next_at is not null",
  },
  "resolve-due-triggers": {
    rows: 700,
    insert: `insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
        workflow_run_id, workflow_step_run_id, generation, status, expires_at, requested_at, created_at, updated_at)
      select $1, gen_random_uuid(), 'k' || gen_random_uuid(), $2, 'workflow_step', 'event', 'event', $2, $2, 1, 'waiting',
        $4, clock(), clock(), clock() from generate_series(1, $3::int)`,
    isOpen: "select 1 from event_triggers where project_id = $1 and status = 'waiting'",
  },
};

describe.each(Object.entries(TASKS))("%s", (task, { rows, insert, isOpen }) => {
  const seed = async ({ id }: TestProject, count: number, since: string) => {
    const { id: job_id } = await seedJob(world.connection, id);
    await runSql(world.connection, insert, [id, job_id, count, since]);
  };
  const left = async ({ id }: TestProject) => (await runSql(world.connection, isOpen, [id])).length;

  it("serves each project in its first pass, however many rows of another were due before", async () => {
    await seed(loud, rows, "2029-12-31T23:00:00Z");
    await seed(quiet, 3, "2029-12-31T23:59:00Z");
    expect(await world.tick(task)).toBe(true);
    expect(await left(quiet)).toBe(0);
    expect(await left(loud)).toBeGreaterThan(0);
    while (await world.tick(task));
    expect(await left(loud)).toBe(0);
  });

  it("takes the oldest of all projects while they fit in a page", async () => {
    await seed(loud, 2, "2029-12-31T23:00:00Z");
    await seed(quiet, 1, "2029-12-31T23:59:00Z");
    expect(await world.tick(task)).toBe(false);
    expect([await left(loud), await left(quiet)]).toEqual([0, 0]);
  });
});
