import { beforeAll, describe, expect, it } from "vitest";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const MINIMAL = { name: "Changed", endpoint_url: "https://jobs.example.com/" };

async function makeJob({ api }: TestProject, fields: object = {}) {
  const response = await api.post("/v1/jobs", { ...MINIMAL, ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return { ...response.body, path: `/v1/jobs/${response.body.id}` };
}

async function revisionOf(id: string): Promise<number> {
  const [row] = await runSql<{ revision: number }>(world.connection, "select revision from jobs where id = $1", [id]);
  return row?.revision ?? 0;
}

const auditOf = (id: string) =>
  runSql(world.connection, "select action, before, after from audit_events where resource_id = $1 order by id", [id]);

/** A change of each behavior field. */
const BEHAVIOR: Record<string, unknown>[] = [
  { endpoint_url: "https://jobs.example.com/v2" },
  { headers: { "X-A": "1" } },
  { timeout_secs: 10 },
  { heartbeat_timeout_secs: 10 },
  { max_attempts: 5 },
  { retry_strategy: "fixed" },
  { retry_strategy: "custom", retry_delays_secs: [1, 2] },
  { default_run_metadata: { a: 1 } },
  { payload_schema: { type: "object" } },
  { result_schema: { type: "object" } },
  { max_cost_microusd: 5 },
];

/** A change of each live field. */
const LIVE: Record<string, unknown>[] = [
  { name: "Renamed" },
  { slug: "renamed" },
  { description: "Changed" },
  { tags: { eu: "true" } },
  { enabled: false },
  { max_concurrency: 5 },
  { max_concurrency_per_key: 5 },
  { rate_limit_max: 5, rate_limit_window_secs: 5 },
  { rate_limit_keys: [{ name: "a", key: "b", max: 1, window_secs: 1 }] },
  { cron: "@hourly" },
  { timezone: "Europe/Berlin" },
  { cron_overlap_policy: "skip" },
  { dedup_window_secs: 5 },
  { debounce_window_secs: 5 },
  { run_ttl_secs: 5 },
  { priority: 5 },
  { estimated_cost_microusd: 5 },
  { cancel_on: [{ event_key: "a" }] },
];

describe("PATCH /v1/jobs/{jobID}", () => {
  it.each(BEHAVIOR)("R3 creates a new version when the behavior of runs changes: %j", async (change) => {
    const project = await world.project();
    const job = await makeJob(project);
    const response = await project.api.patch(job.path, change);
    expect([response.status, response.body]).toEqual([200, expect.objectContaining({ ...change, version: 2 })]);
    expect(response.body.version_id).not.toBe(job.version_id);
    expect(await revisionOf(job.id)).toBe(2);
    const old = (await project.api.get(`${job.path}/versions/${job.version_id}`)).body;
    for (const name of Object.keys(change)) expect(old[name], name).toEqual(job[name]);
  });

  it.each(LIVE)("R3 creates no new version for a live setting: %j", async (change) => {
    const project = await world.project();
    const job = await makeJob(project);
    const { body } = await project.api.patch(job.path, change);
    expect(body).toMatchObject({ ...change, version: 1, version_id: job.version_id });
    expect(await revisionOf(job.id)).toBe(2);
    expect((await project.api.get(job.path)).body).toEqual(body);
  });

  it("R3 changes nothing, and records no audit event, without an actual change", async () => {
    const project = await world.project();
    const fields = {
      headers: { "X-A": "1", "X-B": "2" },
      tags: { eu: "true" },
      default_run_metadata: { a: { x: 1, y: 0 } },
      payload_schema: { type: "object", required: ["a"] },
      retry_strategy: "custom",
      retry_delays_secs: [1, 2],
    };
    const job = await makeJob(project, fields);
    await world.clock.pass("1m");
    const same = [
      {},
      { ...MINIMAL, ...fields },
      { headers: { "X-B": "2", "X-A": "1" } },
      { tags: ["eu"] },
      '{"default_run_metadata": {"a": {"y": -0, "x": 1.0}}}',
      { description: null, cron: null, rate_limit_keys: [] },
    ];
    for (const change of same) {
      const { status, body } = await project.api.patch(job.path, change);
      expect([status, body.version, body.updated_at]).toEqual([200, 1, job.updated_at]);
    }
    expect([await revisionOf(job.id), await auditOf(job.id)]).toEqual([1, [expect.anything()]]);
    const reordered = await project.api.patch(job.path, { retry_delays_secs: [2, 1] });
    expect(reordered.body.version).toBe(2);
  });

  it("accepts the on-failure job by its slug: the current one's changes nothing, its own is rejected", async () => {
    const project = await world.project();
    const [job, rescue] = [await makeJob(project), await makeJob(project, { slug: "rescue" })];
    const named = await project.api.patch(job.path, { on_failure_job_id: "rescue" });
    expect([named.status, named.body.on_failure_job_id, named.body.version]).toEqual([200, rescue.id, 2]);
    await world.clock.pass("1m");
    expect((await project.api.patch(job.path, { on_failure_job_id: "rescue" })).body).toEqual(named.body);
    const itself = await project.api.patch(rescue.path, { on_failure_job_id: "rescue" });
    expect([itself.status, itself.body.errors[0].message]).toEqual([422, "is the job itself"]);
  });

  it("O7 accepts the GET response with one field edited", async () => {
    const project = await world.project();
    const job = await makeJob(project, { headers: { "X-A": "1" }, tags: ["eu"], payload_schema: { type: "object" } });
    const { body } = await project.api.get(job.path);
    const unedited = await project.api.patch(job.path, body);
    expect([unedited.status, unedited.body]).toEqual([200, body]);
    const edited = await project.api.patch(job.path, { ...body, max_attempts: 9 });
    expect([edited.status, edited.body.max_attempts, edited.body.version]).toEqual([200, 9, 2]);
    const stale = await project.api.patch(job.path, { ...body, max_attempts: 8 });
    expect([stale.status, stale.body.code]).toEqual([422, "read_only_field"]);
    expect(stale.body.errors.map((issue: { location: string }) => issue.location)).toContain("body.version");
  });

  it.each(["id", "project_id", "version", "version_id", "paused_at", "created_by", "created_at"])(
    "O7 422 for another %s",
    async (field) => {
      const project = await world.project();
      const job = await makeJob(project);
      const response = await project.api.patch(job.path, { [field]: "2030-01-01T00:00:00.000Z" });
      expect([response.status, response.body.code]).toEqual([422, "read_only_field"]);
    },
  );

  it("R5 validates the resulting limit: one half can be changed alone, but not removed alone", async () => {
    const project = await world.project();
    const job = await makeJob(project, { rate_limit_max: 5, rate_limit_window_secs: 60 });
    expect((await project.api.patch(job.path, { rate_limit_max: 6 })).body.rate_limit_window_secs).toBe(60);
    const half = await project.api.patch(job.path, { rate_limit_max: null });
    expect([half.status, half.body.errors[0].location]).toEqual([422, "body.rate_limit_max"]);
    const none = await project.api.patch(job.path, { rate_limit_max: null, rate_limit_window_secs: null });
    expect(none.body).toMatchObject({ rate_limit_max: null, rate_limit_window_secs: null, version: 1 });
  });

  it("does not check unchanged settings again, such as an endpoint that was allowed before", async () => {
    const project = await world.project();
    const job = await makeJob(project, { endpoint_url: "http://127.0.0.1:9000/" });
    const strict = await world.anotherInstance({ private_endpoints: "refuse" });
    const patch = (body: object) => strict.admin.patch(job.path, body, { headers: { "x-project-id": project.id } });
    expect((await patch({ max_attempts: 1 })).body.version).toBe(2);
    expect((await patch({ endpoint_url: "http://127.0.0.1:9001/" })).status).toBe(422);
  });

  it("409 for a slug of another job", async () => {
    const project = await world.project();
    await makeJob(project, { slug: "taken" });
    const job = await makeJob(project, { slug: "free" });
    const response = await project.api.patch("/v1/jobs/free", { slug: "taken" });
    expect([response.status, response.body.code]).toEqual([409, "slug_taken"]);
    expect((await project.api.patch("/v1/jobs/free", { slug: "moved" })).body.id).toBe(job.id);
    expect((await project.api.get("/v1/jobs/free")).status).toBe(404);
  });

  it("keeps the default schedule in sync with the job's cron", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    const schedules = () =>
      runSql(world.connection, "select cron, timezone, overlap_policy from schedules where job_id = $1", [job.id]);
    await project.api.patch(job.path, { cron: "@daily" });
    expect(await schedules()).toEqual([{ cron: "@daily", timezone: "UTC", overlap_policy: "allow" }]);
    await project.api.patch(job.path, { timezone: "Europe/Berlin", cron_overlap_policy: "skip" });
    expect(await schedules()).toEqual([{ cron: "@daily", timezone: "Europe/Berlin", overlap_policy: "skip" }]);
    await project.api.patch(job.path, { cron: null });
    expect(await schedules()).toEqual([]);
  });

  it("R5 unblocks runs that are blocked on a limit when a limit changes, and only then", async () => {
    const project = await world.project();
    const job = await makeJob(project, { max_concurrency: 1 });
    const run = await seedRun(world.connection, project.id, { job_id: job.id, blocked_on: `job:${job.id}` });
    const blockedOn = async () => {
      const [row] = await runSql(world.connection, "select blocked_on from run_queue where run_id = $1", [run]);
      return row?.blocked_on;
    };
    await project.api.patch(job.path, { name: "Renamed", max_concurrency: 1 });
    expect(await blockedOn()).toBe(`job:${job.id}`);
    await project.api.patch(job.path, { max_concurrency: 2 });
    expect(await blockedOn()).toBeNull();
  });

  it("is audited before and after, with only the names of headers", async () => {
    const project = await world.project();
    const job = await makeJob(project, { headers: { Authorization: "Bearer hush-1" } });
    await project.api.patch(job.path, { headers: { Authorization: "Bearer hush-2" }, max_attempts: 9 });
    const events = await auditOf(job.id);
    expect(events[1]).toMatchObject({
      action: "job.updated",
      before: { max_attempts: 3, version: 1, headers: { Authorization: "[redacted]" } },
      after: { max_attempts: 9, version: 2, headers: { Authorization: "[redacted]" } },
    });
    expect(JSON.stringify(events)).not.toContain("hush-");
  });

  it("loses no concurrent change, and numbers the versions consecutively", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    const live = LIVE.filter((change) => !("slug" in change));
    const changes = [...live, ...BEHAVIOR.filter((change) => !("retry_strategy" in change))];
    // Eight at once: they queue for one row, and on a busy machine more of them would exceed the lock timeout.
    for (let first = 0; first < changes.length; first += 8) {
      const some = changes.slice(first, first + 8);
      const responses = await Promise.all(some.map((change) => project.api.patch(job.path, change)));
      expect(responses.map((response) => response.status)).toEqual(some.map(() => 200));
    }
    const { body } = await project.api.get(job.path);
    expect(body).toMatchObject(Object.assign({}, ...changes));
    expect([body.version, await revisionOf(job.id)]).toEqual([10, 1 + changes.length]);
    const versions = (await project.api.get(`${job.path}/versions?order=asc`)).body.data;
    expect(versions.map((each: { version: number }) => each.version).toSorted((a: number, b: number) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, i) => i + 1),
    );
  });

  it("A2 A11 404 for one of another project, 403 without jobs:write", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const job = await makeJob(other);
    expect((await mine.api.patch(job.path, { name: "Mine" })).status).toBe(404);
    const { api } = await other.newKey({ scopes: ["jobs:read"] });
    expect((await api.patch(job.path, { name: "No" })).body.code).toBe("scope_missing");
  });
});

describe("GET /v1/jobs/{jobID}/versions", () => {
  it("R3 lists every version, newest first, each as it was", async () => {
    const project = await world.project();
    const job = await makeJob(project, { headers: { "X-A": "1" } });
    await project.api.patch(job.path, { headers: { "X-A": "2" }, timeout_secs: 10 });
    await project.api.patch(job.path, { name: "No version" });
    await project.api.patch(job.path, { payload_schema: { type: "object" } });
    const { body } = await project.api.get(`${job.path}/versions`);
    expect(body.data.map((each: Record<string, unknown>) => [each.version, each.headers, each.timeout_secs])).toEqual([
      [3, { "X-A": "2" }, 10],
      [2, { "X-A": "2" }, 10],
      [1, { "X-A": "1" }, 300],
    ]);
    const first = await project.api.get(`${job.path}/versions?limit=2`);
    const second = await project.api.get(`${job.path}/versions?limit=2&cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...second.body.data]).toEqual(body.data);
    const another = await makeJob(project);
    const foreign = await project.api.get(`${another.path}/versions?limit=2&cursor=${first.body.next_cursor}`);
    expect(foreign.body.code).toBe("invalid_cursor");
  });

  it("404 for an unknown job", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const job = await makeJob(other);
    expect((await mine.api.get(`${job.path}/versions`)).body.detail).toBe("There is no such job.");
  });
});

describe("GET /v1/jobs/{jobID}/versions/{versionID}", () => {
  it("R3 returns every setting that affects the behavior of a run, and no live setting", async () => {
    const project = await world.project();
    const job = await makeJob(project, { slug: "versioned", max_concurrency: 5 });
    const { body } = await project.api.get(`/v1/jobs/versioned/versions/${job.version_id}`);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/JobVersion.json`,
      id: job.version_id,
      project_id: project.id,
      job_id: job.id,
      version: 1,
      endpoint_url: MINIMAL.endpoint_url,
      headers: {},
      timeout_secs: 300,
      heartbeat_timeout_secs: 60,
      max_attempts: 3,
      retry_strategy: "exponential",
      retry_delays_secs: null,
      default_run_metadata: {},
      delivery: "push",
      unreachable_timeout_secs: 86_400,
      payload_schema: null,
      result_schema: null,
      max_cost_microusd: null,
      on_failure_job_id: null,
      created_by: "test key",
      created_by_id: expect.any(String),
      created_at: job.created_at,
    });
  });

  it("404 for a version of another job, and for a malformed id", async () => {
    const project = await world.project();
    const [job, another] = [await makeJob(project), await makeJob(project)];
    for (const version of [another.version_id, job.id, "1", "latest"]) {
      const response = await project.api.get(`${job.path}/versions/${version}`);
      expect([response.status, response.body.detail]).toEqual([404, "There is no such version of the job."]);
    }
  });
});
