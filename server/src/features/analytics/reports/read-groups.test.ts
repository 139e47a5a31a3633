import { beforeAll, describe, expect, it } from "vitest";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { type SeedLife, seedLives } from "../../../../test/seed/seed-lives.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
let places: Pick<SeedLife, "job_id" | "job_version_id" | "environment_id">[];

const at = (clock: string) => `2030-06-15T${clock}Z`;

/** Quick has one run, started by the API, slow has three from a schedule, of which two completed. */
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:00Z");
  project = await world.project();
  const jobs = [await makeJob(project, { slug: "quick" }), await makeJob(project, { slug: "slow" })];
  const environment_id = (await project.api.get("/v1/environments/production")).body.id;
  places = jobs.map(({ id, version_id }) => ({ job_id: id, job_version_id: version_id, environment_id }));
  const [quick, slow] = places;
  if (!quick || !slow) throw new Error("no jobs");
  const cron = { ...slow, trigger_type: "cron", created_at: at("10:20:00") };
  await seedLives(world.connection, project.id, [
    { ...quick, trigger_type: "api", created_at: at("10:10:00"), started_at: at("11:00:00"), ended_at: at("11:00:01") },
    { ...cron, started_at: at("11:00:00"), ended_at: at("11:00:09") },
    { ...cron, created_at: at("11:20:00"), started_at: at("11:20:00"), ended_at: at("11:20:09") },
    { ...cron, created_at: at("11:30:00") },
  ]);
  while (await world.tick("sum-changes"));
});

type Group = { id: string | null; name: string; value: string | null; buckets: Record<string, number | null>[] };
type Grouped = { groups: Group[]; has_more: boolean } | null;

async function grouped(query: string, { api }: Pick<TestProject, "api"> = project): Promise<Grouped> {
  const hours = `from=${at("10:00:00")}&to=${at("12:00:00")}&bucket=1h`;
  const { status, body, text } = await api.get(`/v1/analytics/timeseries?${hours}${query}`);
  expect(status, text).toBe(200);
  return body.grouped;
}

const shown = (found: Grouped, field: string) =>
  found?.groups.map(({ name, value, buckets }) => [name, value, buckets.map((bucket) => bucket[field])]);

describe("GET /v1/analytics/timeseries with group_by", () => {
  it("counts runs by what started them in every bucket, the most frequent first, without durations", async () => {
    const found = await grouped("&group_by=trigger_type");
    expect(shown(found, "created")).toEqual([
      ["cron", null, [1, 2]],
      ["api", null, [1, 0]],
    ]);
    expect(found?.has_more).toBe(false);
    expect(found?.groups[1]?.buckets[1]).toMatchObject({ completed: 1, success_rate: 1, p50_ms: null });
  });

  it("counts those of one job, and says if there are more than the limit", async () => {
    expect(shown(await grouped("&group_by=trigger_type&job_id=quick"), "completed")).toEqual([["api", null, [0, 1]]]);
    const few = await grouped("&group_by=trigger_type&limit=1");
    expect(few).toMatchObject({ groups: [{ name: "cron" }], has_more: true });
    expect(await grouped("")).toBeNull();
  });

  it("measures runs by version of their job in every bucket", async () => {
    const found = await grouped("&group_by=job_version");
    expect(shown(found, "completed")).toEqual([
      ["slow", "1", [0, 2]],
      ["quick", "1", [0, 1]],
    ]);
    expect(found?.groups.map(({ id }) => id)).toEqual([places[1]?.job_version_id, places[0]?.job_version_id]);
    const median = Number(found?.groups[0]?.buckets[1]?.p50_ms);
    expect(Math.abs(median - 9_000)).toBeLessThanOrEqual(90);
  });

  it("422 for a group that the sums do not keep", async () => {
    const { status, text } = await project.api.get("/v1/analytics/timeseries?group_by=tag");
    expect([status, text.includes("job_version")]).toEqual([422, true]);
  });

  it("leaves out the runs of a job that a policy denies, in every group", async () => {
    const reader = await project.newKey();
    const denied = await project.api.post("/v1/resource-policies", {
      ...{ effect: "deny", actions: ["runs:read"], subject: `api_key:${reader.id}` },
      ...{ resource_type: "job", resource_id: places[1]?.job_id },
    });
    expect(denied.status, denied.text).toBe(201);
    expect(shown(await grouped("&group_by=job_version", reader), "completed")).toEqual([["quick", "1", [0, 1]]]);
    expect(shown(await grouped("&group_by=trigger_type", reader), "completed")).toEqual([["api", null, [0, 1]]]);
  });
});
