import { beforeAll, describe, expect, it } from "vitest";
import { rollUpCosts } from "../../../../test/seed/roll-up-costs.ts";
import { type Dispatched, seedDispatched } from "../../../../test/seed/seed-dispatched.ts";
import { seedJob } from "../../../../test/seed/seed-run.ts";
import { seedSchedule } from "../../../../test/seed/seed-schedule.ts";
import { seedWorkflow, seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  // Not on the hour: an instance may read the time a few milliseconds earlier, which is another bucket.
  await world.clock.set("2030-06-15T12:01:00Z");
});

type Costs = Record<string, number>;
// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
type Report = any;

async function costsOf(project: Pick<TestProject, "api">, query = ""): Promise<Report> {
  const { status, body, text } = await project.api.get(`/v1/analytics/costs${query}`);
  expect([status, text]).toEqual([200, text]);
  return body;
}

/** For every grouping and figure, the groups and the remainder add up to the total. */
function expectWhole(report: Report, names: string[]): void {
  for (const name of names) {
    const { groups, other } = report[name];
    for (const [figure, total] of Object.entries(report.total as Costs)) {
      const sum = groups.reduce((all: number, group: Costs) => all + (group[figure] ?? 0), other[figure]);
      expect([name, figure, sum]).toEqual([name, figure, total]);
    }
  }
}

const WHOLE = ["jobs", "environments", "workflows", "concurrency_keys", "created_by", "schedules", "models"];

describe("GET /v1/analytics/costs", () => {
  let project: TestProject;
  let mail: Dispatched["job"];
  let workflow: { id: string };
  let schedule: { id: string };

  beforeAll(async () => {
    project = await world.project({ compute_rate_microusd_per_sec: 100 });
    mail = await seedJob(world.connection, project.id, { slug: "mail" });
    const resize = await seedJob(world.connection, project.id, { slug: "resize" });
    const seeded = await seedWorkflow(world.connection, project.id, { slug: "order" });
    workflow = seeded;
    const workflow_run_id = await seedWorkflowRun(world.connection, project.id, { workflow: seeded });
    schedule = await seedSchedule(world.connection, project.id, { job_id: mail.id, cron: "0 5 * * *" });
    await seedDispatched(world.connection, project.id, [
      { job: mail, at: "2030-06-02T10:00:00Z", tags: { team: "a" }, concurrency_key: "k1", created_by: "web" },
      {
        ...{ job: mail, at: "2030-06-14T23:59:59Z", tags: { team: "b", eu: "true" }, created_by: "web" },
        dispatches: [
          { ms: 500, to: "pending", cause: "retry", cost: 40, provider: "acme", model: "large" },
          { ms: 2_000, cost: 60, provider: "acme", model: "small" },
        ],
      },
      { job: resize, at: "2030-06-15T09:00:00Z", environment: "staging", workflow_run_id, created_by: "cron" },
      { job: resize, at: "2030-06-15T10:00:00Z", schedule_id: schedule.id, dispatches: [{ ms: 10_000, cost: 5 }] },
      { job: mail, at: "2030-05-31T23:00:00Z", dispatches: [{ ms: 7_000, cost: 1_000 }] },
    ]);
    await rollUpCosts(world);
  });

  it("N7 reports the current billing period: the calendar month, in whole micro-USD", async () => {
    const report = await costsOf(project);
    expect(report).toMatchObject({
      from: "2030-06-01T00:00:00.000Z",
      to: "2030-07-01T00:00:00.000Z",
      bucket: "1d",
      period: { starts_at: "2030-06-01T00:00:00.000Z", ends_at: "2030-07-01T00:00:00.000Z", is_current: true },
      compute_rate_microusd_per_sec: 100,
      total: {
        ...{ total_microusd: 1_555, reported_microusd: 105, compute_microusd: 1_450, wall_ms: 14_500 },
        ...{ dispatches: 5, reports: 3, input_tokens: 30, output_tokens: 15 },
      },
    });
    expect(report.$schema).toContain("/schemas/CostReport.json");
  });

  it("N7 has a point for each day so far, and they add up to the total", async () => {
    const { buckets, total } = await costsOf(project);
    expect(buckets).toHaveLength(15);
    expect(buckets.reduce((sum: number, each: Costs) => sum + (each.total_microusd ?? 0), 0)).toBe(
      total.total_microusd,
    );
    expect(buckets[1]).toMatchObject({ starts_at: "2030-06-02T00:00:00.000Z", total_microusd: 100 });
    expect(buckets[2]).toMatchObject({ total_microusd: 0, dispatches: 0 });
    // A dispatch counts on the day it ended: the first of two around midnight on the 14th, the second on the 15th.
    expect([buckets[13].total_microusd, buckets[14].total_microusd]).toEqual([90, 1_365]);
  });

  it("N7 groups by job, environment, workflow, key, caller, schedule and model; groups and remainder add up to the total", async () => {
    const report = await costsOf(project);
    expectWhole(report, WHOLE);
    const named = (name: string) => report[name].groups.map((group: Report) => [group.name, group.total_microusd]);
    expect(named("jobs")).toEqual([
      ["resize", 1_105],
      ["mail", 450],
    ]);
    expect(named("environments")).toEqual([
      ["production", 1_455],
      ["staging", 100],
    ]);
    expect(report.workflows.groups).toMatchObject([
      { name: null, total_microusd: 1_455 },
      { id: workflow.id, name: "order", total_microusd: 100 },
    ]);
    expect(named("concurrency_keys")).toEqual([
      [null, 1_455],
      ["k1", 100],
    ]);
    expect(named("created_by")).toEqual([
      ["seed", 1_005],
      ["web", 450],
      ["cron", 100],
    ]);
    expect(report.schedules).toMatchObject({
      groups: [{ id: schedule.id, name: "0 5 * * *", total_microusd: 1_005 }],
      other: { total_microusd: 550 },
    });
    expect(report.models.groups).toMatchObject([
      { name: "acme", value: "small", total_microusd: 60, input_tokens: 10 },
      { name: "acme", value: "large", total_microusd: 40 },
      { name: null, value: null, total_microusd: 5 },
    ]);
    expect(report.models.other).toMatchObject({ total_microusd: 1_450, reported_microusd: 0 });
  });

  it("N7 groups by tag; the values of one tag and the remainder add up to the total", async () => {
    const all = await costsOf(project);
    expect(all.tags.other).toBeNull();
    expect(all.tags.groups.map(({ name, value, total_microusd }: Report) => [name, value, total_microusd])).toEqual([
      ["eu", "true", 350],
      ["team", "b", 350],
      ["team", "a", 100],
    ]);
    const byTeam = await costsOf(project, "?tag_key=team");
    expect(byTeam.tags.groups.map((group: Report) => group.value)).toEqual(["b", "a"]);
    expect(byTeam.tags.other.total_microusd).toBe(1_105);
    expectWhole(byTeam, ["tags", ...WHOLE]);
  });

  it("N7 shows the groups of one kind day by day, as far as they are listed", async () => {
    const by = async (query: string) => (await costsOf(project, `?group_by=${query}`)).grouped;
    const days = ({ groups }: Report) =>
      groups.map(({ name, value, buckets }: Report) => [
        ...[name, value, buckets.length],
        buckets.flatMap((bucket: Report) => (bucket.total_microusd > 0 ? [bucket.starts_at.slice(8, 10)] : [])),
      ]);
    const tags = await by("tag");
    expect(days(tags)).toEqual([
      ["eu", "true", 15, ["14", "15"]],
      ["team", "b", 15, ["14", "15"]],
      ["team", "a", 15, ["02"]],
    ]);
    expect(tags.has_more).toBe(false);
    expect(days(await by("tag&tag_key=team"))).toHaveLength(2);
    const models = await costsOf(project, "?group_by=model");
    for (const [nth, { buckets }] of models.grouped.groups.entries()) {
      const sum = buckets.reduce((all: number, { total_microusd }: Costs) => all + (total_microusd ?? 0), 0);
      expect(sum).toBe(models.models.groups[nth].total_microusd);
    }
    const workflows = await by("workflow");
    expect(workflows.groups).toMatchObject([
      { id: null, name: null },
      { id: workflow.id, name: "order" },
    ]);
    expect(await by("created_by&limit=1")).toMatchObject({ groups: [{ name: "seed" }], has_more: true });
    expect((await costsOf(project)).grouped).toBeNull();
  });

  it("422 for groups in buckets shorter than a day, which are not kept", async () => {
    const path = "/v1/analytics/costs?group_by=model&from=2030-06-15T00:00:00Z&bucket=1h";
    const { status, text } = await project.api.get(path);
    expect([status, text.includes("only kept by the day")]).toEqual([422, true]);
  });

  it("N7 names the requested number of groups, and sums up the others", async () => {
    const report = await costsOf(project, "?limit=1");
    expect(report.created_by.groups.map((group: Report) => group.name)).toEqual(["seed"]);
    expect(report.created_by.other.total_microusd).toBe(550);
    expectWhole(report, WHOLE);
  });

  it("N7 reports another range in whole days, and hours and minutes within it", async () => {
    const may = await costsOf(project, "?from=2030-05-01T00:00:00Z&to=2030-06-01T00:00:00Z");
    expect(may.total).toMatchObject({ total_microusd: 1_700, reported_microusd: 1_000 });
    expect([may.period.is_current, may.forecast, may.buckets.length]).toEqual([false, null, 31]);
    const hours = await costsOf(project, "?from=2030-06-15T09:30:00Z&bucket=1h");
    expect([hours.from, hours.buckets.length, hours.total.total_microusd]).toEqual([
      "2030-06-15T00:00:00.000Z",
      13,
      1_365,
    ]);
    expect(hours.buckets[9].total_microusd).toBe(100);
    const minutes = await costsOf(project, "?from=2030-06-15T09:30:00Z&bucket=5m");
    const sum = minutes.buckets.reduce((all: number, each: Costs) => all + (each.total_microusd ?? 0), 0);
    expect([minutes.buckets.length, sum]).toEqual([145, 1_365]);
  });

  it("N7 filters by job and by environment, by id or by name", async () => {
    for (const ref of [mail.id, "mail"])
      expect((await costsOf(project, `?job_id=${ref}`)).total.total_microusd).toBe(450);
    const staging = await costsOf(project, "?environment_id=staging");
    expect(staging.total.total_microusd).toBe(100);
    expectWhole(staging, WHOLE);
  });

  it("N7 forecasts the current period", async () => {
    const { forecast } = await costsOf(project);
    // The 8th to the 14th cost 90: 13 a day, for fifteen more days.
    expect(forecast).toEqual({ total_microusd: 1_555 + 15 * 13, basis: "full_days", days: 7, per_day_microusd: 13 });
  });

  it("422 for a range that ends before it begins, too many points, and minutes or hours no longer kept", async () => {
    const refused = async (query: string) => {
      const { status, body } = await project.api.get(`/v1/analytics/costs?${query}`);
      return [status, body.errors?.[0]?.location];
    };
    expect(await refused("from=2030-06-02T00:00:00Z&to=2030-06-01T00:00:00Z")).toEqual([422, "query.from"]);
    expect(await refused("bucket=1m")).toEqual([422, "query.bucket"]);
    expect(await refused("from=2030-05-01T00:00:00Z&to=2030-05-02T00:00:00Z&bucket=5m")).toEqual([422, "query.bucket"]);
    expect(await refused("from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z&bucket=1h")).toEqual([422, "query.bucket"]);
    expect(await refused("from=9999-12-31T23:00:00Z&to=9999-12-31T23:30:00Z")).toEqual([422, "query.from"]);
    expect(await refused("bucket=1w")).toEqual([422, "query.bucket"]);
    expect(await refused("form=x")).toEqual([422, "query.form"]);
  });

  it("N7 reports zero for a project without runs", async () => {
    const report = await costsOf(await world.project());
    expect(report.total.total_microusd).toBe(0);
    expectWhole(report, WHOLE);
  });

  it("A2 shows a key bound to an environment only that one, and never another project", async () => {
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const bound = await project.newKey({ environment_id: staging });
    const report = await costsOf(bound);
    expect([report.total.total_microusd, report.jobs.groups.length]).toEqual([100, 1]);
    expectWhole(report, WHOLE);
    expect((await costsOf(bound, "?environment_id=production")).total.total_microusd).toBe(0);
    expect((await costsOf(await world.project())).total.total_microusd).toBe(0);
  });

  it("A9 omits runs and analytics that a policy hides from the caller: by job, by tag, by workflow", async () => {
    const reader = await project.newKey();
    const subject = `api_key:${reader.id}`;
    const deny = (path: string, fields: object) =>
      project.api.post(path, { effect: "deny", subject, ...fields }).then(({ status, text }) => {
        expect([status, text]).toEqual([201, text]);
      });
    await deny("/v1/resource-policies", {
      actions: ["workflows:read", "analytics:read"],
      resource_type: "workflow",
      resource_id: workflow.id,
    });
    const hidden = await costsOf(reader);
    expect(hidden.workflows.groups).toMatchObject([{ name: null }]);
    expect(hidden.workflows.other.total_microusd).toBe(100);
    await deny("/v1/tag-policies", { actions: ["runs:read"], tag_key: "team", tag_value: "b" });
    expect((await costsOf(reader, "?tag_key=team")).tags.groups.map((group: Report) => group.value)).toEqual(["a"]);
    await deny("/v1/resource-policies", { actions: ["runs:*"], resource_type: "job", resource_id: mail.id });
    const report = await costsOf(reader);
    expect([report.total.total_microusd, report.jobs.groups.map((group: Report) => group.name)]).toEqual([
      1_105,
      ["resize"],
    ]);
    expectWhole(report, WHOLE);
  });

  it("A9 shows no sums to a caller who is denied reading all runs", async () => {
    const reader = await project.newKey();
    const whole = { effect: "deny", actions: ["runs:read"], resource_type: "run", resource_id: "*" };
    const denied = await project.api.post("/v1/resource-policies", { ...whole, subject: `api_key:${reader.id}` });
    expect(denied.status).toBe(201);
    const report = await costsOf(reader, "?tag_key=team");
    expect([report.total.total_microusd, report.jobs.groups, report.tags.groups]).toEqual([0, [], []]);
  });

  it("N7 measures query durations by the length of the range", async () => {
    await costsOf(project);
    const metrics = await world.ctx.metrics.registry.metrics();
    expect(metrics).toMatch(/svc_analytics_query_duration_seconds_count\{period_hours="720"\} [1-9]/);
  });

  it("N7 caps sums at the largest exact number", async () => {
    const dear = await world.project();
    const job = await seedJob(world.connection, dear.id);
    await seedDispatched(world.connection, dear.id, [
      { job, at: "2030-06-15T10:00:00Z", dispatches: [{ ms: 1, cost: 1 }] },
    ]);
    await rollUpCosts(world);
    await runSql(
      world.connection,
      "update cost_rollups set reported_microusd = 9007199254740991, input_tokens = 9007199254740991 where project_id = $1",
      [dear.id],
    );
    expect((await costsOf(dear)).total).toMatchObject({ total_microusd: Number.MAX_SAFE_INTEGER });
  });
});
