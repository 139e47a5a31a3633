import { beforeAll, describe, expect, it } from "vitest";
import { dispatchBench } from "../../../../test/costs/dispatch-bench.ts";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { type SeedLife, seedLives } from "../../../../test/seed/seed-lives.ts";
import { runSql } from "../../../../test/world/database.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

const at = (clock: string) => `2030-06-15T${clock}Z`;
const later = (clock: string, ms: number) => new Date(Date.parse(at(clock)) + ms).toISOString();
const rollUp = async () => {
  while (await world.tick("sum-changes"));
};

/** A project with two jobs, and the run histories that the test gives them. */
async function seeded(lives: (jobs: Pick<SeedLife, "job_id" | "job_version_id" | "environment_id">[]) => SeedLife[]) {
  const project = await world.project();
  const jobs = [await makeJob(project, { slug: "quick" }), await makeJob(project, { slug: "slow" })];
  const environment_id = (await project.api.get("/v1/environments/production")).body.id;
  const places = jobs.map(({ id, version_id }) => ({ job_id: id, job_version_id: version_id, environment_id }));
  await seedLives(world.connection, project.id, lives(places));
  await rollUp();
  return { project, places };
}

const get = async ({ api }: TestProject, path: string) => {
  const response = await api.get(`/v1/analytics/${path}`);
  expect(response.status, response.text).toBe(200);
  return response.body;
};

/** Within 1 %. */
const near = (ms: number) => expect.closeTo(ms, Math.floor(-Math.log10(ms * 0.02)));

/** Ended runs of one job with these durations in milliseconds. */
const lasting = (
  place: SeedLife | Pick<SeedLife, "job_id" | "job_version_id" | "environment_id">,
  durations: number[],
) =>
  durations.map((ms) => ({
    ...{ ...place, created_at: at("10:59:00"), started_at: at("11:00:00") },
    ended_at: later("11:00:00", ms),
  }));

describe("GET /v1/analytics/runs/by-trigger", () => {
  it("N1 counts grouped by trigger type equal the runs", async () => {
    const bench = await dispatchBench(world, 200);
    const job_id = await bench.job();
    for (let nth = 0; nth < 3; nth++) await bench.trigger(job_id);
    await world.runUntilIdle();
    const [counted] = await runSql<{ runs: number }>(
      world.connection,
      "select count(*)::int as runs from runs where project_id = $1 and trigger_type = 'api' and status = 'completed'",
      [bench.project.id],
    );
    const { data, total, as_of } = await get(bench.project, "runs/by-trigger");
    expect(counted?.runs).toBe(3);
    expect(total).toBe(3);
    expect(data[0]).toMatchObject({ trigger_type: "api", created: 3, completed: 3, share: 1, success_rate: 1 });
    expect(as_of).not.toBeNull();
  });

  it("lists every kind, the most frequent first, also over time", async () => {
    const { project } = await seeded(([one]) => {
      if (!one) return [];
      const of = (trigger_type: string, clock: string) => ({ ...one, trigger_type, created_at: at(clock) });
      return [of("cron", "10:10:00"), of("cron", "10:20:00"), of("cron", "11:10:00"), of("webhook", "11:50:00")];
    });
    const { data, total } = await get(project, `runs/by-trigger?from=${at("10:00:00")}&to=${at("12:00:00")}&bucket=1h`);
    expect(total).toBe(4);
    expect(data).toHaveLength(7);
    expect(data[0]).toMatchObject({
      ...{ trigger_type: "cron", created: 3, share: 0.75 },
      buckets: [
        { starts_at: "2030-06-15T10:00:00.000Z", created: 2 },
        { starts_at: "2030-06-15T11:00:00.000Z", created: 1 },
      ],
    });
    expect(data[1]).toMatchObject({ trigger_type: "webhook", created: 1, success_rate: null });
    expect(data.slice(2).every(({ created }: { created: number }) => created === 0)).toBe(true);
  });
});

describe("GET /v1/analytics/runs/duration-distribution", () => {
  it("N2 gives percentiles within 1 %, the buckets between them, and a histogram with every run", async () => {
    const RUNS = sizeOf(250, 1_000);
    const durations = Array.from({ length: RUNS }, (_, nth) => 10 + nth * nth);
    const { project } = await seeded(([one]) => (one ? lasting(one, durations) : []));
    const response = await get(project, "runs/duration-distribution");
    expect(response.count).toBe(RUNS);
    expect(response.mean_ms).toBeCloseTo(durations.reduce((sum, ms) => sum + ms) / RUNS, 0);
    for (const { percentile, duration_ms } of response.percentiles) {
      const exact = durations[Math.max(1, Math.ceil((percentile / 100) * RUNS)) - 1] ?? 0;
      expect(Math.abs(duration_ms - exact)).toBeLessThanOrEqual(exact * 0.01);
    }
    expect(response.percentiles.map(({ percentile }: { percentile: number }) => percentile)).toContain(99.9);
    const counts = (name: string) =>
      response[name].reduce((sum: number, { count }: { count: number }) => sum + count, 0);
    expect(counts("percentile_buckets")).toBe(RUNS);
    expect(counts("histogram")).toBe(RUNS);
    const second = response.histogram.find(({ to_ms }: { to_ms: number }) => to_ms === 1_000);
    expect(second).toEqual({
      from_ms: 500,
      to_ms: 1_000,
      count: durations.filter((ms) => ms > 500 && ms <= 1_000).length,
    });
  });

  it("is empty where no run has ended", async () => {
    const response = await get(await world.project(), "runs/duration-distribution");
    expect(response).toMatchObject({ count: 0, mean_ms: null, percentiles: [], percentile_buckets: [], histogram: [] });
  });
});

describe("GET /v1/analytics/jobs/by-version", () => {
  it("N5 measures runs per job version, the newest version of the busiest job first", async () => {
    const { project, places } = await seeded(([quick, slow]) =>
      quick && slow ? [...lasting(quick, [100, 100, 100]), ...lasting(slow, [9_000])] : [],
    );
    const [quick] = places;
    const changed = await project.api.patch("/v1/jobs/quick", { timeout_secs: 11 });
    expect(changed.status, changed.text).toBe(200);
    const version = changed.body.version_id as string;
    if (!quick) throw new Error("no job");
    const failed = { ...lasting({ ...quick, job_version_id: version }, [200])[0], status: "failed" } as SeedLife;
    await seedLives(world.connection, project.id, [failed]);
    await rollUp();
    const { data } = await get(project, "jobs/by-version");
    expect(data).toMatchObject([
      { job_slug: "quick", job_version_id: version, version: 2, created: 1, failed: 1, success_rate: 0, p50_ms: 200 },
      { job_slug: "quick", version: 1, created: 3, completed: 3, success_rate: 1, mean_ms: 100 },
      { job_slug: "slow", version: 1, completed: 1 },
    ]);
    const { data: one } = await get(project, "jobs/by-version?job_id=slow");
    expect(one).toHaveLength(1);
  });
});

describe("GET /v1/analytics/timeseries", () => {
  it("has every bucket of the range with counts per status, rates, percentiles and open runs", async () => {
    const { project } = await seeded(([quick, slow]) =>
      quick && slow
        ? [
            { ...quick, created_at: at("10:01:00"), started_at: at("10:01:02"), ended_at: at("10:01:03") },
            {
              ...quick,
              created_at: at("10:02:00"),
              started_at: at("10:02:02"),
              ended_at: at("10:31:02"),
              status: "failed",
            },
            {
              ...{ ...slow, created_at: at("10:03:00"), started_at: at("10:03:02"), retried_at: [at("11:03:00")] },
              ...{ ended_at: at("11:13:02"), status: "timed_out" },
            },
            { ...slow, created_at: at("10:59:59"), ended_at: at("11:59:59"), status: "canceled" },
            { ...slow, created_at: at("10:59:59") },
          ]
        : [],
    );
    const path = `timeseries?from=${at("09:00:00")}&to=${at("12:00:00")}&bucket=1h`;
    const { buckets, total } = await get(project, path);
    expect(buckets).toMatchObject([
      {
        starts_at: "2030-06-15T09:00:00.000Z",
        created: 0,
        completed: 0,
        success_rate: null,
        p95_ms: null,
        open_runs: 0,
      },
      {
        ...{ created: 5, completed: 1, failed: 1, timed_out: 0, canceled: 0, retried: 0, success_rate: 0.5 },
        ...{ p50_ms: 1_000, open_runs: 3, start_delay_p95_ms: near(2_000) },
      },
      { created: 0, completed: 0, timed_out: 1, canceled: 1, retried: 1, success_rate: 0, open_runs: 1 },
    ]);
    expect(total).toMatchObject({ created: 5, completed: 1, failed: 1, timed_out: 1, canceled: 1 });
    const { buckets: ofOne } = await get(project, `${path}&job_id=quick`);
    expect(ofOne[1]).toMatchObject({ created: 2, completed: 1, failed: 1, open_runs: 0 });
  });

  it("gives the same totals in minutes, hours and days, and the open runs of a past time", async () => {
    const { project } = await seeded(([quick]) =>
      quick ? [...lasting(quick, [10, 20, 30]), { ...quick, created_at: at("03:00:00") }] : [],
    );
    for (const bucket of ["1m", "5m", "1h", "1d"]) {
      const { buckets, total } = await get(
        project,
        `timeseries?from=${at("00:00:00")}&to=${at("12:00:00")}&bucket=${bucket}`,
      );
      expect(total).toMatchObject({ created: 4, completed: 3 });
      const sum = buckets.reduce((all: number, { completed }: { completed: number }) => all + completed, 0);
      expect([bucket, sum, buckets.at(-1).open_runs]).toEqual([bucket, 3, 1]);
    }
    const { buckets } = await get(project, `timeseries?from=${at("02:00:00")}&to=${at("04:00:00")}&bucket=1h`);
    expect(buckets.map(({ open_runs }: { open_runs: number }) => open_runs)).toEqual([0, 1]);
  });
});

describe("GET /v1/analytics/performance", () => {
  it("N10 reports the slowest jobs, the throughput and the health", async () => {
    const { project } = await seeded(([quick, slow]) => {
      if (!quick || !slow) return [];
      const bad = lasting(slow, [60_000, 61_000]).map((life) => ({ ...life, status: "failed" as const }));
      return [...lasting(quick, Array(8).fill(100)), ...bad, { ...slow, created_at: at("11:30:00") }];
    });
    const response = await get(project, `performance?from=${at("10:00:00")}&to=${at("12:00:00")}`);
    expect(response.health).toMatchObject({ status: "degraded", success_rate: 0.8, open_runs: 1 });
    expect(response.health.worst_jobs).toMatchObject([{ job_slug: "slow", failed: 2, success_rate: 0 }]);
    expect(response.throughput).toMatchObject({ created: 11, completed: 8, failed: 2, ended_per_minute: 0.083 });
    expect(response.throughput.busiest).toMatchObject({ ended: 10 });
    expect(response.slowest_jobs.map(({ job_slug }: { job_slug: string }) => job_slug)).toEqual(["slow", "quick"]);
    expect(response.start_delay.p50_ms).toEqual(near(60_000));
  });

  it("reports for each of the slowest jobs how its runs ended in every bucket", async () => {
    const { project } = await seeded(([quick, slow]) => {
      if (!quick || !slow) return [];
      const [first, ...others] = lasting(slow, [60_000, 61_000, 62_000]);
      if (!first) return [];
      const lives = [{ ...first, status: "failed" as const }, { ...first, status: "timed_out" as const }, ...others];
      return [...lives, { ...quick, created_at: at("09:10:00"), started_at: at("09:10:00"), ended_at: at("09:10:01") }];
    });
    const { slowest_jobs } = await get(project, `performance?from=${at("09:00:00")}&to=${at("12:00:00")}&bucket=1h`);
    expect(slowest_jobs).toMatchObject([
      { job_slug: "slow", ended_by_bucket: [0, 0, 4], failed_by_bucket: [0, 0, 2] },
      { job_slug: "quick", ended_by_bucket: [1, 0, 0], failed_by_bucket: [0, 0, 0] },
    ]);
    const one = await get(project, `performance?from=${at("09:00:00")}&to=${at("12:00:00")}&bucket=1h&limit=1`);
    expect(one.slowest_jobs).toHaveLength(1);
  });

  it("is idle where no run has ended, and healthy where all succeeded", async () => {
    expect((await get(await world.project(), "performance")).health).toMatchObject({ status: "idle", worst_jobs: [] });
    const { project } = await seeded(([quick]) => (quick ? lasting(quick, [5]) : []));
    expect((await get(project, "performance")).health.status).toBe("healthy");
  });
});
