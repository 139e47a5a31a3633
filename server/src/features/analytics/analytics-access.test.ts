import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow } from "../../../test/make-workflow.ts";
import { type SeedLife, seedLives } from "../../../test/seed-lives.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world.ts";
import { analyticsRoutes } from "./routes.ts";

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
  while (await world.tick("roll-up-runs"));
  return { project, secret: jobs[1]?.id ?? "", staging: staging ?? "" };
}

/** How many ends each answer tells of. */
async function endsTold({ api }: Pick<TestProject, "api">, query = ""): Promise<number[]> {
  const told = await Promise.all(RUN_PATHS.map((path) => api.get(`/v1/analytics/${path}?${query}`)));
  const [times, performance, triggers, durations, versions, errors] = told.map(({ body }) => body);
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

describe("who sees which numbers", () => {
  it("all of a project for who is held to nothing", async () => {
    const { project } = await twoJobs();
    expect(await endsTold(project)).toEqual([4, 4, 4, 4, 4, 2]);
  });

  it("A3 those of its environment for a key that is bound to one", async () => {
    const { project, staging } = await twoJobs();
    expect(await endsTold(await project.newKey({ environment_id: staging }))).toEqual([2, 2, 2, 2, 2, 1]);
    expect(await endsTold(project, "environment_id=staging")).toEqual([2, 2, 2, 2, 2, 1]);
    const bound = await project.newKey({ environment_id: staging });
    expect(await endsTold(bound, "environment_id=production")).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it.each(["analytics:read", "runs:read", "jobs:read", "*"])(
    "not those of a job of which %s is denied",
    async (action) => {
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
      expect(await endsTold(reader)).toEqual([2, 2, 2, 2, 2, 0]);
      expect(await endsTold(reader, `job_id=${secret}`)).toEqual([0, 0, 0, 0, 0, 0]);
      expect(await endsTold(project)).toEqual([4, 4, 4, 4, 4, 2]);
    },
  );

  it("not those of a job whose tag is denied, nor of an environment that is", async () => {
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
    expect(await endsTold(one)).toEqual([2, 2, 2, 2, 2, 0]);
    expect(await endsTold(other)).toEqual([2, 2, 2, 2, 2, 1]);
  });

  it("not those of a workflow that is denied", async () => {
    const project = await world.project();
    const [seen, hidden] = [await makeWorkflow(project), await makeWorkflow(project)];
    for (const { path } of [seen, hidden]) await project.api.post(`${path}/trigger`, {});
    while (await world.tick("roll-up-workflows"));
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

  it("of the samples of a failure only runs that the caller may see", async () => {
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

describe("what is asked", () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await world.project();
  });

  it.each(PATHS)(
    "%s is refused by name for a time that ends before it begins, and for too many buckets",
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

  it("is about the last 24 hours in whole buckets when nothing is said", async () => {
    const { body } = await project.api.get("/v1/analytics/timeseries");
    expect(body).toMatchObject({ from: "2030-06-14T12:00:00.000Z", to: "2030-06-15T13:00:00.000Z", bucket: "1h" });
    expect(body.buckets).toHaveLength(25);
  });

  it("is measured by the length of its time, in a few classes", async () => {
    await project.api.get("/v1/analytics/timeseries?from=2030-06-15T11:30:00Z");
    await project.api.get("/v1/analytics/errors?from=2030-05-16T12:00:00Z");
    await project.api.get("/v1/analytics/performance?from=2027-01-01T00:00:00Z");
    const { values } = await world.ctx.metrics.analyticsQueryDuration.get();
    const periods = new Set(values.map(({ labels }) => labels.period_hours));
    expect([...periods].map(String)).toEqual(expect.arrayContaining(["1", "720", "more"]));
    expect(periods.size).toBeLessThanOrEqual(8);
  });
});
