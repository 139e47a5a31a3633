import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { type SeedLife, seedLives } from "../../../../test/seed/seed-lives.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { analyticsRoutes } from "../routes.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
});

const PATHS = analyticsRoutes.map(({ path }) => path);
const RUN_PATHS = [
  "timeseries",
  "performance",
  "runs/by-trigger",
  "runs/duration-distribution",
  "jobs/by-version",
  "errors",
];

async function twoJobs() {
  const project = await world.project();
  const environments: { id: string; slug: string }[] = (await project.api.get("/v1/environments")).body.data;
  const [production, staging] = ["production", "staging"].map(
    (name) => environments.find(({ slug }) => slug === name)?.id,
  );
  const jobs = [
    await makeJob(project, { slug: "open" }),
    await makeJob(project, { slug: "secret", tags: { team: "x" } }),
  ];
  const lives = jobs.flatMap(({ id, version_id }, nth) =>
    [production, staging].map((environment_id) => ({
      ...{ job_id: id, job_version_id: version_id, environment_id: environment_id ?? "" },
      ...{ created_at: "2030-06-15T11:00:00Z", started_at: "2030-06-15T11:00:01Z", ended_at: "2030-06-15T11:00:02Z" },
      ...{ status: nth === 0 ? "completed" : "failed", error: { code: "c", message: "m" } },
    })),
  );
  await seedLives(world.connection, project.id, lives as SeedLife[]);
  while (await world.tick("sum-changes"));
  return { project, secret: jobs[1]?.id ?? "", staging: staging ?? "" };
}

/** The number of ended runs in each response. */
async function endsReported({ api }: Pick<TestProject, "api">, query = ""): Promise<number[]> {
  const responses = await Promise.all(RUN_PATHS.map((path) => api.get(`/v1/analytics/${path}?${query}`)));
  const [times, performance, triggers, durations, versions, errors] = responses.map(({ body }) => body);
  const sum = (rows: { completed: number; failed: number }[]) =>
    rows.reduce((all, row) => all + row.completed + row.failed, 0);
  return [
    sum(times.buckets),
    sum([performance.throughput]),
    sum(triggers.data),
    durations.count,
    sum(versions.data),
    errors.total.runs,
  ];
}

describe("access to analytics", () => {
  it("shows the whole project to a caller without restrictions", async () => {
    const { project } = await twoJobs();
    expect(await endsReported(project)).toEqual([4, 4, 4, 4, 4, 2]);
  });

  it("A3 shows a key bound to an environment only that environment", async () => {
    const { project, staging } = await twoJobs();
    expect(await endsReported(await project.newKey({ environment_id: staging }))).toEqual([2, 2, 2, 2, 2, 1]);
    expect(await endsReported(project, "environment_id=staging")).toEqual([2, 2, 2, 2, 2, 1]);
    const bound = await project.newKey({ environment_id: staging });
    expect(await endsReported(bound, "environment_id=production")).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it.each(["analytics:read", "runs:read", "jobs:read", "*"])("hides a job for which %s is denied", async (action) => {
    const { project, secret } = await twoJobs();
    const reader = await project.newKey();
    const denied = await project.api.post("/v1/resource-policies", {
      ...{
        effect: "deny",
        actions: [action],
        subject: `api_key:${reader.id}`,
        resource_type: "job",
        resource_id: secret,
      },
    });
    expect(denied.status, denied.text).toBe(201);
    expect(await endsReported(reader)).toEqual([2, 2, 2, 2, 2, 0]);
    expect(await endsReported(reader, `job_id=${secret}`)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(await endsReported(project)).toEqual([4, 4, 4, 4, 4, 2]);
  });

  it("hides jobs with a denied tag, and denied environments", async () => {
    const { project, staging } = await twoJobs();
    const [one, other] = [await project.newKey(), await project.newKey()];
    const about = { effect: "deny", actions: ["runs:read"] };
    await project.api.post("/v1/tag-policies", {
      ...about,
      subject: `api_key:${one.id}`,
      tag_key: "team",
      tag_value: "x",
    });
    await project.api.post("/v1/resource-policies", {
      ...{ ...about, subject: `api_key:${other.id}`, resource_type: "environment", resource_id: staging },
    });
    expect(await endsReported(one)).toEqual([2, 2, 2, 2, 2, 0]);
    expect(await endsReported(other)).toEqual([2, 2, 2, 2, 2, 1]);
  });

  it("hides a denied workflow", async () => {
    const project = await world.project();
    const [seen, hidden] = [await makeWorkflow(project), await makeWorkflow(project)];
    for (const { path } of [seen, hidden]) await project.api.post(`${path}/trigger`, {});
    while (await world.tick("sum-changes"));
    const reader = await project.newKey();
    await project.api.post("/v1/resource-policies", {
      ...{ effect: "deny", actions: ["workflows:read"], subject: `api_key:${reader.id}` },
      ...{ resource_type: "workflow", resource_id: hidden.id },
    });
    const { body } = await reader.api.get("/v1/analytics/workflows/summary");
    expect([body.total.started, body.workflows]).toEqual([1, 1]);
    const { body: rates } = await reader.api.get("/v1/analytics/workflows/completion-rates");
    expect(rates.data.map(({ workflow_id }: { workflow_id: string }) => workflow_id)).toEqual([seen.id]);
    expect((await project.api.get("/v1/analytics/workflows/summary")).body.total.started).toBe(2);
  });

  it("lists only runs the caller may see as samples of a failure", async () => {
    const { project } = await twoJobs();
    const reader = await project.newKey();
    const before = (await reader.api.get("/v1/analytics/errors")).body.data;
    const hidden = before[0].sample_run_ids[0];
    await project.api.post("/v1/resource-policies", {
      ...{
        effect: "deny",
        actions: ["runs:read"],
        subject: `api_key:${reader.id}`,
        resource_type: "run",
        resource_id: hidden,
      },
    });
    const after = (await reader.api.get("/v1/analytics/errors")).body.data;
    const shown = after.flatMap(({ sample_run_ids }: { sample_run_ids: string[] }) => sample_run_ids);
    expect(shown).toHaveLength(1);
    expect(shown).not.toContain(hidden);
  });
});

describe("an analytics query", () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await world.project();
  });

  it.each(PATHS)(
    "%s returns a named error for a range that ends before it begins, and for too many buckets",
    async (path) => {
      const ask = async (query: string) => {
        const { status, body } = await project.api.get(`${path}?${query}`);
        return [status, body.errors?.[0]?.location];
      };
      expect(await ask("from=2030-06-15T11:00:00Z&to=2030-06-15T10:00:00Z")).toEqual([422, "query.from"]);
      expect(await ask("from=2030-06-01T00:00:00Z&bucket=1m")).toEqual([422, "query.bucket"]);
      expect(await ask("from=2030-06-01T00:00:00Z&to=2030-06-01T01:00:00Z&bucket=5m")).toEqual([422, "query.bucket"]);
      expect(await ask("from=2029-01-01T00:00:00Z&to=2029-01-02T00:00:00Z&bucket=1h")).toEqual([422, "query.bucket"]);
      expect(await ask("bucket=2h")).toEqual([422, "query.bucket"]);
      expect(await ask("from=yesterday")).toEqual([422, "query.from"]);
      expect(await ask("from=2029-01-01T00:00:00Z&bucket=1d")).toEqual([200, undefined]);
    },
  );

  it("covers the last 24 hours in whole buckets by default", async () => {
    const { body } = await project.api.get("/v1/analytics/timeseries");
    expect(body).toMatchObject({ from: "2030-06-14T12:00:00.000Z", to: "2030-06-15T13:00:00.000Z", bucket: "1h" });
    expect(body.buckets).toHaveLength(25);
  });

  it("is measured under one of a few labels, by the length of its range", async () => {
    await project.api.get("/v1/analytics/timeseries?from=2030-06-15T11:30:00Z");
    await project.api.get("/v1/analytics/errors?from=2030-05-16T12:00:00Z");
    await project.api.get("/v1/analytics/performance?from=2027-01-01T00:00:00Z");
    const { values } = await world.ctx.metrics.analyticsQueryDuration.get();
    const periods = new Set(values.map(({ labels }) => labels.period_hours));
    expect([...periods].map(String)).toEqual(expect.arrayContaining(["1", "720", "more"]));
    expect(periods.size).toBeLessThanOrEqual(8);
  });
});
