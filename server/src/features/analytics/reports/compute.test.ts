import { beforeAll, describe, expect, it } from "vitest";
import { rollUpCosts } from "../../../../test/seed/roll-up-costs.ts";
import { type Dispatched, seedDispatched } from "../../../../test/seed/seed-dispatched.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
let limited: Dispatched["job"];
let free: Dispatched["job"];

beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
  project = await world.project({ compute_rate_microusd_per_sec: 10 });
  limited = await seedJob(world.connection, project.id, { slug: "limited", max_concurrency: 2 });
  free = await seedJob(world.connection, project.id, { slug: "free" });
  await seedDispatched(world.connection, project.id, [
    { job: limited, at: "2030-06-15T09:30:00Z", dispatches: [{ ms: 3_600_000 }] },
    {
      ...{ job: limited, at: "2030-06-15T08:00:00Z" },
      dispatches: [
        { ms: 600_000, to: "pending", cause: "timeout", cost: 9 },
        { ms: 600_000, to: "timed_out", cause: "timeout" },
      ],
    },
    { job: free, at: "2030-06-15T11:00:00Z", dispatches: [{ ms: 1_000, to: "waiting" }] },
    { job: free, at: "2030-06-15T11:10:00Z", environment: "staging", dispatches: [{ ms: 2_000, to: "failed" }] },
    { job: free, at: "2030-06-01T11:10:00Z", dispatches: [{ ms: 4_000 }] },
  ]);
  await rollUpCosts(world);
});

// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
async function computeOf(query = "", api = project.api): Promise<any> {
  const { status, body, text } = await api.get(`/v1/analytics/compute${query}`);
  expect([status, text]).toEqual([200, text]);
  return body;
}

const DAY = "?from=2030-06-14T12:00:00Z&to=2030-06-15T12:00:00Z";

describe("GET /v1/analytics/compute", () => {
  it("N8 reports the last 24 hours by the hour: time, cost, and runs in flight", async () => {
    expect(await computeOf()).toMatchObject({ from: "2030-06-14T12:00:00.000Z", bucket: "1h", wall_ms: 4_803_000 });
    const report = await computeOf(DAY);
    expect(report).toMatchObject({
      ...{ from: "2030-06-14T12:00:00.000Z", to: "2030-06-15T12:00:00.000Z", bucket: "1h" },
      ...{ wall_ms: 4_803_000, busy_ms: 4_803_000, dispatches: 5, compute_microusd: 48_030 },
      // 4,803 of 86,400 seconds.
      average_in_flight: 0.0556,
      peak_in_flight: 0.5,
      useful_share: 0.7497,
    });
    expect(report.buckets).toHaveLength(24);
  });

  it("N8 spreads busy time over the hours it covers, and records the cost in the hour a dispatch ended", async () => {
    const { buckets } = await computeOf(DAY);
    const [, , eight, nine, ten] = buckets.slice(-6);
    expect(eight).toMatchObject({
      starts_at: "2030-06-15T08:00:00.000Z",
      busy_ms: 1_200_000,
      average_in_flight: 0.3333,
    });
    expect(nine).toMatchObject({ busy_ms: 1_800_000, wall_ms: 0, compute_microusd: 0, average_in_flight: 0.5 });
    expect(ten).toMatchObject({ busy_ms: 1_800_000, wall_ms: 3_600_000, compute_microusd: 36_000, dispatches: 1 });
  });

  it("N8 breaks the cost down by outcome, and by job with its utilization", async () => {
    const report = await computeOf(DAY);
    expect(report.outcomes).toEqual([
      { outcome: "completed", wall_ms: 3_600_000, dispatches: 1, compute_microusd: 36_000, reported_microusd: 0 },
      { outcome: "waiting", wall_ms: 1_000, dispatches: 1, compute_microusd: 10, reported_microusd: 0 },
      { outcome: "failed", wall_ms: 2_000, dispatches: 1, compute_microusd: 20, reported_microusd: 0 },
      { outcome: "timed_out", wall_ms: 600_000, dispatches: 1, compute_microusd: 6_000, reported_microusd: 0 },
      {
        outcome: "retried_after_timeout",
        wall_ms: 600_000,
        dispatches: 1,
        compute_microusd: 6_000,
        reported_microusd: 9,
      },
    ]);
    expect(report.jobs).toMatchObject([
      {
        ...{ job_id: limited.id, slug: "limited", wall_ms: 4_800_000, longest_ms: 3_600_000, max_concurrency: 2 },
        ...{ average_in_flight: 0.0556, utilization: 0.0278 },
      },
      { job_id: free.id, slug: "free", wall_ms: 3_000, max_concurrency: null, utilization: null },
    ]);
    const sum = (rows: { compute_microusd: number }[]) => rows.reduce((all, row) => all + row.compute_microusd, 0);
    for (const part of ["outcomes", "jobs", "buckets"]) expect(sum(report[part])).toBe(report.compute_microusd);
  });

  it("N8 accepts any range, job and environment, in minutes or days", async () => {
    const days = await computeOf("?from=2030-06-01T00:00:00Z");
    expect([days.bucket, days.buckets.length, days.wall_ms]).toEqual(["1d", 15, 4_807_000]);
    const minutes = await computeOf("?from=2030-06-15T11:00:00Z&to=2030-06-15T11:30:00Z&bucket=1m");
    expect([minutes.buckets.length, minutes.wall_ms]).toEqual([30, 3_000]);
    expect(minutes.buckets[10]).toMatchObject({ busy_ms: 2_000, average_in_flight: 0.0333 });
    expect((await computeOf("?job_id=free")).dispatches).toBe(2);
    expect((await computeOf("?environment_id=staging")).wall_ms).toBe(2_000);
    expect((await computeOf("?limit=1")).jobs).toHaveLength(1);
  });

  it("N8 counts only the elapsed part of a range that is not over", async () => {
    const report = await computeOf("?from=2030-06-15T00:00:00Z&to=2030-06-16T00:00:00Z&bucket=1d");
    expect(report.average_in_flight).toBe(0.1112);
  });

  it("N8 reports zeros and null shares without dispatches", async () => {
    const report = await computeOf("", (await world.project()).api);
    expect(report).toMatchObject({ wall_ms: 0, useful_share: null, peak_in_flight: 0, outcomes: [], jobs: [] });
  });

  it("422 for points finer than those still kept for that time", async () => {
    const { status, body } = await project.api.get(
      "/v1/analytics/compute?from=2030-05-01T00:00:00Z&to=2030-05-01T01:00:00Z&bucket=1m",
    );
    expect([status, body.errors[0].location]).toEqual([422, "query.bucket"]);
  });

  it("A2 shows a bound key only its environment, and omits what a policy denies", async () => {
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const bound = await project.newKey({ environment_id: staging });
    expect((await computeOf("", bound.api)).wall_ms).toBe(2_000);
    const reader = await project.newKey();
    const policy = {
      effect: "deny",
      subject: `api_key:${reader.id}`,
      actions: ["analytics:read"],
      resource_type: "job",
    };
    await project.api.post("/v1/resource-policies", { ...policy, resource_id: limited.id });
    expect((await computeOf("", reader.api)).jobs).toMatchObject([{ slug: "free" }]);
  });
});
