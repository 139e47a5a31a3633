import { beforeAll, describe, expect, it } from "vitest";
import { rollUpCosts } from "../../../../test/seed/roll-up-costs.ts";
import { type Dispatched, seedDispatched } from "../../../../test/seed/seed-dispatched.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { seedSchedule } from "../../../../test/seed/seed-schedule.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

const RATE = 100;
type Dispatches = NonNullable<Dispatched["dispatches"]>;

async function projectWith(runs: (job: Dispatched["job"]) => Partial<Dispatched>[]) {
  const project = await world.project({ compute_rate_microusd_per_sec: RATE });
  const job = await seedJob(world.connection, project.id, { slug: "work" });
  const filled = runs(job).map((run, n) => ({ job, at: minute(n), ...run }));
  const run_ids = await seedDispatched(world.connection, project.id, filled);
  await rollUpCosts(world);
  return { project, job, run_ids };
}

const minute = (n: number) => new Date(Date.UTC(2030, 5, 14, 0, n)).toISOString();
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

async function insightsOf({ api }: Pick<TestProject, "api">, query = "") {
  const { status, body, text } = await api.get(`/v1/analytics/cost-insights${query}`);
  expect([status, text]).toEqual([200, text]);
  return body;
}

const rulesOf = async (project: Pick<TestProject, "api">) =>
  (await insightsOf(project)).insights.map((insight: { rule: string }) => insight.rule);

describe("GET /v1/analytics/cost-insights", () => {
  describe("retry_waste", () => {
    const retried: Dispatches = [
      { ms: 2_000, to: "pending", cause: "retry", cost: 30 },
      { ms: 1_000, to: "pending", cause: "lease_lost" },
      { ms: 500 },
    ];
    const inVain: Dispatches = [...retried.slice(0, 2), { ms: 1, to: "failed" }];
    const failedAtOnce: Dispatches = [{ ms: 1, to: "failed" }];

    it("N6 reports the cost of repeated dispatches, and their runs", async () => {
      const { project, job, run_ids } = await projectWith(() => [
        ...times(10, () => ({ dispatches: retried })),
        ...times(30, () => ({ dispatches: [{ ms: 500 }] })),
      ]);
      const report = await insightsOf(project);
      // Ten times 2 s and 1 s at 100, plus 30 reported.
      const saving = 10 * (200 + 100 + 30);
      expect(report).toMatchObject({ total_microusd: saving + 40 * 50, estimated_saving_microusd: saving });
      expect(report.insights).toMatchObject([
        {
          ...{ rule: "retry_waste", job_id: job.id, job_slug: "work", estimated_saving_microusd: saving },
          evidence: {
            ...{ dispatches: 60, retried_dispatches: 20, retried_share: 0.3333, completed_runs: 40, failed_runs: 0 },
            ...{ wasted_compute_microusd: 3_000, wasted_reported_microusd: 300 },
            ...{ sampled_runs: 40, sampled_retried_runs: 10, sampled_retried_completed_runs: 10 },
          },
          sample_run_ids: run_ids.slice(5, 10).toReversed(),
        },
      ]);
      expect(report.insights[0].what_to_change).toContain("Retries help");
    });

    it("N6 gives different advice where retrying never helps", async () => {
      const { project } = await projectWith(() => times(10, () => ({ dispatches: inVain })));
      expect((await insightsOf(project)).insights[0].what_to_change).toContain("Lower max_attempts");
    });

    it("N6 gives only retried runs as examples", async () => {
      const { project, run_ids } = await projectWith(() => [
        ...times(10, () => ({ dispatches: retried })),
        ...times(3, () => ({ dispatches: failedAtOnce })),
        { dispatches: [{ ms: 1, to: "pending", cause: "retry" }] },
        { dispatches: [{ ms: 1, to: "pending", cause: "drained" }, { ms: 1 }] },
      ]);
      expect((await insightsOf(project)).insights[0]).toMatchObject({
        rule: "retry_waste",
        sample_run_ids: run_ids.slice(5, 10).toReversed(),
      });
    });

    it("N6 evaluates retries by the retried runs only", async () => {
      const advice = async (repeated: Dispatches, others: Dispatches) => {
        const { project } = await projectWith(() => [
          ...times(10, () => ({ dispatches: repeated })),
          ...times(20, () => ({ dispatches: others })),
        ]);
        return (await insightsOf(project)).insights[0].what_to_change;
      };
      expect(await advice(inVain, [{ ms: 500 }])).toMatch(/^Retries rarely help: of the last 10 .* 0 completed/);
      expect(await advice(retried, failedAtOnce)).toMatch(/^Retries help.*of the last 10 .* 10 completed/);
    });

    it("N6 does not say whether retries help before a retried run has ended", async () => {
      const open: Dispatches = [{ ms: 900, to: "pending", cause: "retry" }];
      const { project } = await projectWith(() => times(10, () => ({ dispatches: open })));
      expect((await insightsOf(project)).insights[0]).toMatchObject({
        what_to_change: expect.stringMatching(/^Check the errors of the first attempts/),
        evidence: { sampled_runs: 10, sampled_retried_runs: 0 },
      });
    });

    it("N6 reports nothing when few runs are retried, or when runs were drained or waited", async () => {
      const few = await projectWith(() => [
        ...times(9, () => ({ dispatches: [{ ms: 900_000, to: "pending", cause: "retry" }, { ms: 5 }] })),
        ...times(30, () => ({})),
      ]);
      expect(await rulesOf(few.project)).toEqual([]);
      const seldom = await projectWith(() => [
        ...times(10, () => ({ dispatches: [{ ms: 900_000, to: "pending", cause: "retry" }, { ms: 5 }] })),
        ...times(90, () => ({})),
      ]);
      expect(await rulesOf(seldom.project)).toEqual([]);
      const drained = await projectWith(() =>
        times(30, () => ({
          dispatches: [{ ms: 9_000, to: "pending", cause: "drained" }, { ms: 5, to: "waiting" }, { ms: 5 }],
        })),
      );
      expect(await rulesOf(drained.project)).toEqual([]);
    });
  });

  describe("always_times_out", () => {
    const hangs: Dispatches = [
      { ms: 300_000, to: "pending", cause: "timeout" },
      { ms: 300_000, to: "timed_out", cause: "timeout", cost: 11 },
    ];

    it("N6 reports a job of which no run completes, with the cost of its time", async () => {
      const { project, run_ids } = await projectWith(() => times(5, () => ({ dispatches: hangs })));
      const report = await insightsOf(project);
      expect(report.insights).toMatchObject([
        {
          ...{ rule: "always_times_out", estimated_saving_microusd: 5 * (2 * 30_000 + 11) },
          evidence: { timed_out_runs: 5, timed_out_dispatches: 10, completed_runs: 0, timeout_secs: 300 },
          sample_run_ids: run_ids.toReversed(),
        },
      ]);
    });

    it("N6 counts accepted runs that stopped reporting", async () => {
      const silent = [{ ms: 60_000, to: "timed_out", cause: "heartbeat_lost" }];
      const { project } = await projectWith(() => times(5, () => ({ dispatches: silent })));
      expect((await insightsOf(project)).insights).toMatchObject([
        { rule: "always_times_out", estimated_saving_microusd: 5 * 6_000 },
      ]);
    });

    it("N6 reports nothing when one run completes, or when there are few runs", async () => {
      const once = await projectWith(() => [{}, ...times(9, () => ({ dispatches: hangs.slice(1) }))]);
      expect(await rulesOf(once.project)).toEqual([]);
      const few = await projectWith(() => times(4, () => ({ dispatches: hangs.slice(1) })));
      expect(await rulesOf(few.project)).toEqual([]);
    });
  });

  describe("overlong_timeout", () => {
    const good = times(20, (n) => ({ dispatches: [{ ms: 1_000 + n * 100 }] }));
    const hung = { ms: 300_000, to: "timed_out", cause: "timeout" };

    it("N6 reports what a shorter timeout would have saved on hung dispatches", async () => {
      const failed = { dispatches: [{ ms: 1, to: "pending", cause: "retry" }, { ms: 1 }] };
      const { project } = await projectWith(() => [...good, { dispatches: [hung] }, { dispatches: [hung] }, failed]);
      const { insights } = await insightsOf(project);
      // Twice the longest, 2.9 s, is 5.8, so 6 s: 294 s less, two times, at 100.
      expect(insights).toMatchObject([
        {
          ...{ rule: "overlong_timeout", estimated_saving_microusd: 2 * 294 * RATE },
          evidence: { timeout_secs: 300, suggested_timeout_secs: 6, longest_good_ms: 2_900, timed_out_dispatches: 2 },
        },
      ]);
      expect(insights[0].what_to_change).toContain("from 300 to 6");
      expect(insights[0].sample_run_ids).toHaveLength(2);
    });

    it("N6 reports nothing when nothing hung, when the work needs the time, or with too little data", async () => {
      expect(await rulesOf((await projectWith(() => good)).project)).toEqual([]);
      const slow = times(20, () => ({ dispatches: [{ ms: 80_000 }] }));
      expect(await rulesOf((await projectWith(() => [...slow, { dispatches: [hung] }])).project)).toEqual([]);
      expect(await rulesOf((await projectWith(() => [...good.slice(1), { dispatches: [hung] }])).project)).toEqual([]);
    });

    it("N6 counts no dispatch twice: a timed-out dispatch does not count as a retry too", async () => {
      const again = { dispatches: [{ ...hung, to: "pending" }, { ms: 1_000 }] };
      const { project } = await projectWith(() => [...good, ...times(10, () => again)]);
      expect(await rulesOf(project)).toEqual(["overlong_timeout"]);
    });
  });

  describe("idle_schedule", () => {
    async function scheduled(results: unknown[], also?: (run_ids: string[], project_id: string) => Promise<unknown>) {
      const project = await world.project({ compute_rate_microusd_per_sec: RATE });
      const job = await seedJob(world.connection, project.id, { slug: "sweep" });
      const { id } = await seedSchedule(world.connection, project.id, { job_id: job.id, cron: "* * * * *" });
      const runs = results.map((result, n) => ({ job, at: minute(n), result, schedule_id: id, trigger_type: "cron" }));
      const run_ids = await seedDispatched(world.connection, project.id, runs);
      await also?.(run_ids, project.id);
      await rollUpCosts(world);
      return { project, schedule_id: id, run_ids };
    }
    const empty = [{}, [], 0, false, "", { processed: 0, errors: [] }, { found: { a: null } }, { ok: false }];

    it("N6 reports a schedule whose runs find nothing to do, with its share of the cost", async () => {
      const results = [...times(19, (n) => empty[n % empty.length]), { processed: 3 }];
      const { project, schedule_id, run_ids } = await scheduled(results);
      expect((await insightsOf(project)).insights).toMatchObject([
        {
          ...{ rule: "idle_schedule", schedule_id, job_slug: "sweep", estimated_saving_microusd: 1_900 },
          evidence: { cron: "* * * * *", sampled_runs: 20, idle_runs: 19, schedule_cost_microusd: 2_000 },
          sample_run_ids: run_ids.slice(14, 19).toReversed(),
        },
      ]);
    });

    it("N6 does not report a job that never returns anything: it may work without a result", async () => {
      const { project } = await scheduled(times(30, () => null));
      expect(await rulesOf(project)).toEqual([]);
    });

    it("N6 reports nothing when runs return, use, output, call or start something", async () => {
      expect(await rulesOf((await scheduled(times(30, () => ({ processed: 1 })))).project)).toEqual([]);
      expect(await rulesOf((await scheduled(times(19, () => ({})))).project)).toEqual([]);
      const puts = await scheduled(
        times(30, () => ({})),
        (run_ids, project_id) =>
          runSql(
            world.connection,
            `insert into run_outputs (project_id, run_id, id, attempt, name, value, created_at)
           select $1, r, gen_random_uuid(), 1, 'file', '1', clock() from unnest($2::uuid[]) r`,
            [project_id, run_ids.slice(0, 10)],
          ),
      );
      expect(await rulesOf(puts.project)).toEqual([]);
      const spawns = await scheduled(
        times(30, () => ({})),
        (run_ids, project_id) =>
          runSql(
            world.connection,
            "update runs set parent_run_id = $2 where project_id = $1 and id = any($3::uuid[])",
            [project_id, run_ids[5], run_ids.slice(0, 5)],
          ),
      );
      expect(await rulesOf(spawns.project)).toEqual(["idle_schedule"]);
    });
  });

  describe("duplicate_payloads", () => {
    it("N6 reports runs that repeat one with the same payload, their cost, and the window that prevents them", async () => {
      const { project, run_ids } = await projectWith(() => [
        ...times(10, (n) => ({ payload: { order: n % 5 }, dispatches: [{ ms: 3_000, cost: 4 }] })),
        ...times(20, (n) => ({ payload: { order: 100 + n } })),
      ]);
      expect((await insightsOf(project)).insights).toMatchObject([
        {
          ...{ rule: "duplicate_payloads", estimated_saving_microusd: 5 * 304 },
          evidence: { compared_runs: 30, duplicate_runs: 5, widest_gap_secs: 300, suggested_dedup_window_secs: 301 },
          sample_run_ids: run_ids.slice(5, 10).toReversed(),
        },
      ]);
    });

    it("N6 counts what the window would have saved, measured from the run that is kept", async () => {
      const everyHalfHour = (n: number) => new Date(Date.UTC(2030, 5, 13, 0, 30 * n)).toISOString();
      const { project, run_ids } = await projectWith(() =>
        times(21, (n) => ({ payload: { report: "daily" }, at: everyHalfHour(n), dispatches: [{ ms: 1_000 }] })),
      );
      // Of 0:00, 0:30, 1:00, 1:30 … the first is kept and replaces two, the fourth replaces the next two.
      const repeated = run_ids.filter((_, n) => n % 3 !== 0);
      expect((await insightsOf(project)).insights).toMatchObject([
        {
          ...{ rule: "duplicate_payloads", estimated_saving_microusd: 14 * RATE },
          evidence: { duplicate_runs: 14, widest_gap_secs: 3_600, suggested_dedup_window_secs: 3_601 },
          sample_run_ids: repeated.toReversed().slice(0, 5),
        },
      ]);
    });

    it.each<[string, (n: number) => Partial<Dispatched>]>([
      ["hours apart", (n) => ({ payload: { a: 1 }, at: new Date(Date.UTC(2030, 5, 13, 2 * n)).toISOString() })],
      ["without a payload", () => ({ payload: {} })],
      [
        "started by a schedule or a workflow",
        (n) => ({ payload: { a: 1 }, trigger_type: n % 2 ? "cron" : "workflow" }),
      ],
      ["in different environments", (n) => ({ payload: { a: n >> 1 }, environment: n % 2 ? "staging" : "production" })],
      ["that failed", () => ({ payload: { a: 1 }, dispatches: [{ ms: 1_000, to: "failed" }] })],
    ])("N6 does not report runs %s", async (_name, run) => {
      const { project } = await projectWith(() => times(20, run));
      expect(await rulesOf(project)).toEqual([]);
    });

    it("N6 does not report a job that deduplicates already", async () => {
      const { project, job } = await projectWith(() => times(20, () => ({ payload: { a: 1 } })));
      expect(await rulesOf(project)).toEqual(["duplicate_payloads"]);
      await runSql(world.connection, "update jobs set dedup_window_secs = 60 where project_id = $1 and id = $2", [
        project.id,
        job.id,
      ]);
      expect(await rulesOf(project)).toEqual([]);
    });
  });

  it("N6 covers the last thirty days, or the requested range, job and rule", async () => {
    const { project } = await projectWith(() => times(20, () => ({ payload: { a: 1 } })));
    const count = async (query: string) => (await insightsOf(project, query)).insights.length;
    expect(await insightsOf(project)).toMatchObject({
      from: "2030-05-16T00:00:00.000Z",
      to: "2030-06-16T00:00:00.000Z",
    });
    expect(await count("?from=2030-06-15T00:00:00Z")).toBe(0);
    expect(await count("?job_id=work&environment_id=production")).toBe(1);
    expect(await count("?environment_id=staging")).toBe(0);
    expect(await count("?rule=retry_waste")).toBe(0);
    expect(await count("?rule=duplicate_payloads")).toBe(1);
    expect((await project.api.get("/v1/analytics/cost-insights?rule=magic")).status).toBe(422);
    const long = await project.api.get("/v1/analytics/cost-insights?from=1900-01-01T00:00:00Z");
    expect([long.status, long.body.errors]).toEqual([
      422,
      [{ location: "query.from", message: "is 47648 days before the end, but the limit is 1500", value: null }],
    ]);
  });

  it("N6 gives examples of the requested environment, also of a deleted one by its id", async () => {
    const project = await world.project({ compute_rate_microusd_per_sec: RATE });
    const { body } = await project.api.post("/v1/environments", { name: "Far", slug: "far" });
    const job = await seedJob(world.connection, project.id, { slug: "work" });
    const dispatches: Dispatches = [{ ms: 2_000, to: "pending", cause: "retry" }, { ms: 500 }];
    const there = times(20, (n) => ({ job, at: minute(n), payload: { a: 1 }, dispatches, environment: "far" }));
    const run_ids = await seedDispatched(world.connection, project.id, there);
    const elsewhere = times(20, (n) => ({ ...there[n], job, at: minute(20 + n), environment: "production" }));
    await seedDispatched(world.connection, project.id, elsewhere);
    await rollUpCosts(world);
    const examples = async (ref: string) =>
      (await insightsOf(project, `?environment_id=${ref}`)).insights.map(
        ({ rule, sample_run_ids }: { rule: string; sample_run_ids: string[] }) => [rule, sample_run_ids],
      );

    const newest = run_ids.slice(-5).toReversed();
    const both = expect.arrayContaining([
      ["retry_waste", newest],
      ["duplicate_payloads", newest],
    ]);
    expect(await examples("far")).toEqual(both);
    expect((await project.api.delete(`/v1/environments/${body.id}`)).status).toBe(204);
    expect(await examples(body.id)).toEqual(both);
  });

  it("A2 shows a bound key only its environment, and nothing that a policy denies", async () => {
    const { project, job } = await projectWith(() => times(20, () => ({ payload: { a: 1 } })));
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    expect(await rulesOf(await project.newKey({ environment_id: staging }))).toEqual([]);
    const reader = await project.newKey();
    expect(await rulesOf(reader)).toEqual(["duplicate_payloads"]);
    const policy = { effect: "deny", subject: `api_key:${reader.id}`, actions: ["runs:read"], resource_type: "job" };
    await project.api.post("/v1/resource-policies", { ...policy, resource_id: job.id });
    expect(await insightsOf(reader)).toMatchObject({ insights: [], total_microusd: 0 });
  });
});
