import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { runSql } from "../../test/world/database.ts";
import { claimSome, fillQueue, makeJob, type TestJob } from "../../test/world/queue-world.ts";
import { makeWorld, type World } from "../../test/world/world.ts";
import type { Outcome } from "../flow/runs/dispatch/outcome.ts";
import { settleRuns } from "../flow/runs/settle/settle-runs.ts";
import type { Db } from "../platform/database/db.ts";
import { sumChanges, sumTasks } from "./sum-changes.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2036-01-10T00:00:00Z");
  while (await world.tick("sum-changes"));
});

const COMPLETED: Outcome = { kind: "completed", result_json: "null" };
const FAILED: Outcome = { kind: "failed", retryable: false, error: { code: "x", message: "y" } };

/** Claims and ends everything that is queued, some runs after less than a minute and some after more. */
async function work(job: TestJob): Promise<void> {
  for (;;) {
    const claimed = await claimSome(world.ctx, job, 7);
    if (claimed.length === 0) return;
    await world.clock.pass("37s");
    await settleRuns(
      world.ctx,
      claimed.map((run, nth) => ({ run, outcome: nth % 4 === 3 ? FAILED : COMPLETED })),
    );
  }
}

const SUMS = {
  rollups: `select series, split, grain, bucket_at, subject_id, environment_id, part, counts, encode(sketch, 'hex') as sketch`,
  cost_rollups: "select (to_jsonb(t) - 'updated_at')::text as row",
  usage_periods: "select (to_jsonb(t) - 'updated_at')::text as row",
  job_costs: "select (to_jsonb(t) - 'updated_at')::text as row",
};

async function sumsOf(project_id: string): Promise<Record<string, string[]>> {
  while (await world.tick("sum-changes"));
  const tables = Object.entries(SUMS).map(async ([table, select]) => {
    const rows = await runSql(world.connection, `${select} from ${table} t where project_id = $1`, [project_id]);
    return [table, rows.map((row) => JSON.stringify(row)).sort()] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

describe("what follows the sums", () => {
  it("observes the durations of runs even if a budget cannot admit others", async () => {
    const project = await world.project();
    await project.api.put("/v1/project-budget", { monthly_budget_microusd: 1_000_000, action: "block" });
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 3);
    await work(job);
    let begun = 0;
    const begin: Db["begin"] = () => {
      if (++begun > 1) throw new Error("no connection for the admission");
      return world.ctx.db.begin();
    };
    await expect(sumChanges({ ...world.ctx, db: { ...world.ctx.db, begin } })).rejects.toThrow("admission");
    const text = await world.ctx.metrics.registry.metrics();
    const ends = [...text.matchAll(/^millrace_run_duration_seconds_count\{(.*)\} (\d+)$/gm)];
    const observed = ends.filter(([, labels]) => labels?.includes(`project="${project.slug}"`));
    expect(observed.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(3);
  });
});

describe("the sums of changes that are alike", () => {
  it("equal those of the same changes looked up run by run", async () => {
    const project = await world.project({ compute_rate_microusd_per_sec: 7 });
    const job = await makeJob(project);
    await fillQueue(world.ctx, job, 20);
    await work(job);
    await fillQueue(world.ctx, job, [
      ...Array.from({ length: 6 }, () => ({ trigger_type: "cron" as const })),
      ...Array.from({ length: 5 }, () => ({ created_by: "another" })),
      ...Array.from({ length: 4 }, (_, nth) => ({ tags: { team: `t${nth % 2}` } })),
      ...Array.from({ length: 3 }, (_, nth) => ({ concurrency_key: `k${nth}` })),
    ]);
    await world.clock.pass("90s");
    await work(job);

    const summed = await sumsOf(project.id);
    const kinds = await runSql<{ is_uniform: boolean; has_durations: boolean }>(
      world.connection,
      `select distinct is_uniform, wall_ms is not null as has_durations from changelog
       where project_id = $1 and kind = 'run' order by 1, 2`,
      [project.id],
    );
    expect(kinds).toEqual([
      { is_uniform: false, has_durations: false },
      { is_uniform: true, has_durations: false },
      { is_uniform: true, has_durations: true },
    ]);

    for (const table of [...Object.keys(SUMS), "run_blocks", "unindexed_runs"])
      await runSql(world.connection, `delete from ${table} where project_id = $1`, [project.id]);
    await runSql(world.connection, "update changelog set is_uniform = false, wall_ms = null, waited_ms = null");
    await runSql(
      world.connection,
      `update log_cursors set position = (select min(position) - 1 from changelog where project_id = $1)
       where consumer = 'sum-changes'`,
      [project.id],
    );
    expect(await sumsOf(project.id)).toEqual(summed);
    expect(summed.rollups?.length).toBeGreaterThan(30);
    expect(summed.cost_rollups?.length).toBeGreaterThan(15);
    expect([summed.usage_periods?.length, summed.job_costs?.length]).toEqual([1, 1]);
  });
});

describe("the sums of changes whose first run was deleted", () => {
  it("are those of a run that is left", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    const ids = await fillQueue(world.ctx, job, 5);
    await runSql(world.connection, "delete from runs where id = any($1::uuid[])", [ids.slice(0, -1)]);
    while (await world.tick("sum-changes"));
    const [created] = await runSql(
      world.connection,
      `select counts[1]::int as count from rollups
       where project_id = $1 and series = 'runs' and split = 'job' and subject_id = $2 and grain = 60`,
      [project.id, job.id],
    );
    expect(created).toEqual({ count: 5 });
  });
});

const HOUR_MS = 3_600_000;

describe("the pause after a pass of the sums", () => {
  const pauseMs = (tookMs: number) => sumTasks[0]?.pauseMs?.(world.ctx, tookMs);

  it("is longer after a long pass, up to ten seconds", async () => {
    while (await world.tick("sum-changes"));
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now() + HOUR_MS);
    onTestFinished(() => void clock.mockRestore());
    await fillQueue(world.ctx, await makeJob(await world.project()), 1);
    await world.tick("sum-changes");
    expect([10, 1_000, 60_000].map(pauseMs)).toEqual([1_000, 4_000, 10_000]);
  });

  it("is no longer than half of a pass has room for", async () => {
    const job = await makeJob(await world.project());
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    onTestFinished(() => void clock.mockRestore());
    await fillQueue(world.ctx, job, 1);
    await world.tick("sum-changes");
    await fillQueue(world.ctx, job, 29);
    await work(job);
    clock.mockReturnValue(performance.now() + 20);
    await world.tick("sum-changes");
    // Since the pass before it 29 creations and 30 ends, in 20 ms. Half of a pass are 9,000.
    expect(pauseMs(60_000)).toBe(9_000 / (59 / 20));
  });

  it("is known after two passes in the same instant", async () => {
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    onTestFinished(() => void clock.mockRestore());
    for (let nth = 0; nth < 2; nth++) await sumChanges(world.ctx);
    expect(pauseMs(1_000)).toBe(4_000);
  });
});
