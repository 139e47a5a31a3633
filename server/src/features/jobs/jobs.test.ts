import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const MINIMAL = { name: "Charge a card", endpoint_url: "https://jobs.example.com/charge" };

/** Every field that a caller controls, each with a value other than its default. */
const EVERYTHING = {
  slug: "charge",
  name: "Charge",
  description: "Charges a card",
  endpoint_url: "https://jobs.example.com:8443/charge?v=2",
  headers: { Authorization: "Bearer hush-hush", "X-Team": "billing" },
  tags: { team: "billing", eu: "true" },
  enabled: false,
  timeout_secs: 86_400,
  heartbeat_timeout_secs: 5,
  max_attempts: 100,
  retry_strategy: "custom",
  retry_delays_secs: [0, 5, 86_400],
  max_concurrency: 10,
  max_concurrency_per_key: 2,
  rate_limit_max: 100,
  rate_limit_window_secs: 60,
  rate_limit_keys: [{ name: "tenant", key: "{{payload.tenant}}", max: 5, window_secs: 1 }],
  default_run_metadata: { source: "billing", nested: { "a b": [1, null] }, "line\nbreak": true },
  payload_schema: { type: "object", required: ["order"], properties: { "line\nbreak": { type: "string" } } },
  result_schema: { $schema: "http://json-schema.org/draft-07/schema#", type: "object" },
  cron: "*/5 * * * *",
  timezone: "Europe/Berlin",
  cron_overlap_policy: "skip",
  dedup_window_secs: 60,
  debounce_window_secs: 30,
  run_ttl_secs: 3_600,
  priority: -100,
  estimated_cost_microusd: 5_000,
  max_cost_microusd: 9_007_199_254_740_991,
  cancel_on: [{ event_key: "order.{{payload.order.id}}.canceled" }],
};

const create = async ({ api }: TestProject, fields: object = {}) => {
  const response = await api.post("/v1/jobs", { ...MINIMAL, ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return response.body;
};
const slugsOf = (response: { body: { data: { slug: string }[] } }) => response.body.data.map((each) => each.slug);

describe("POST /v1/jobs", () => {
  it("R3 fills every field with its default, given only a name and an endpoint", async () => {
    const { id: project_id, api } = await world.project();
    const created = await api.post("/v1/jobs", MINIMAL);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      $schema: `${world.url}/schemas/Job.json`,
      id: expect.any(String),
      project_id,
      slug: "charge-a-card",
      ...MINIMAL,
      description: null,
      headers: {},
      environment_id: null,
      tags: {},
      enabled: true,
      timeout_secs: 300,
      heartbeat_timeout_secs: 60,
      max_attempts: 3,
      retry_strategy: "exponential",
      retry_delays_secs: null,
      max_concurrency: null,
      max_concurrency_per_key: null,
      rate_limit_max: null,
      rate_limit_window_secs: null,
      rate_limit_keys: [],
      default_run_metadata: {},
      delivery: "push",
      queue: "default",
      unreachable_timeout_secs: 86_400,
      payload_schema: null,
      result_schema: null,
      cron: null,
      timezone: "UTC",
      cron_overlap_policy: "allow",
      dedup_window_secs: null,
      debounce_window_secs: null,
      run_ttl_secs: null,
      priority: 0,
      estimated_cost_microusd: null,
      max_cost_microusd: null,
      on_failure_job_id: null,
      cancel_on: [],
      version: 1,
      version_id: expect.any(String),
      paused_at: null,
      created_by: "test key",
      created_by_id: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
      updated_at: created.body.created_at,
    });
  });

  it("R5 R6 stores every field as it was sent", async () => {
    const project = await world.project();
    const environment_id = (await project.api.get("/v1/environments/staging")).body.id;
    const on_failure_job_id = (await create(project)).id;
    const sent = { ...EVERYTHING, environment_id, on_failure_job_id };
    const created = await create(project, sent);
    expect(created).toMatchObject(sent);
    expect((await project.api.get("/v1/jobs/charge")).body).toEqual(created);
  });

  it("accepts the on-failure job by its slug, and stores the id", async () => {
    const project = await world.project();
    const rescue = await create(project, { slug: "rescue" });
    expect((await create(project, { on_failure_job_id: "rescue" })).on_failure_job_id).toBe(rescue.id);
  });

  it("reads a list of tags as names with the value true", async () => {
    expect((await create(await world.project(), { tags: ["eu", "gold"] })).tags).toEqual({ eu: "true", gold: "true" });
  });

  it("409 for a taken slug; a slug derived from the name is adjusted, and other projects do not conflict", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    await create(mine, { slug: "charge" });
    const refused = await mine.api.post("/v1/jobs", { ...MINIMAL, slug: "charge" });
    expect([refused.status, refused.body.code]).toEqual([409, "slug_taken"]);
    expect((await create(mine, { name: "Charge" })).slug).toMatch(/^charge-[0-9a-f]{6}$/);
    expect((await create(other, { slug: "charge" })).slug).toBe("charge");
  });

  it("creates one of several concurrent jobs with the same slug", async () => {
    const { api } = await world.project();
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => api.post("/v1/jobs", { ...MINIMAL, slug: "the-one", cron: "@hourly" })),
    );
    const statuses = responses.map((response) => response.status).toSorted();
    expect(statuses).toEqual([201, ...Array(11).fill(409)]);
    expect(slugsOf(await api.get("/v1/jobs"))).toEqual(["the-one"]);
  });

  it("R3 stores the endpoint's host with the version, with the port if it is not the default", async () => {
    const project = await world.project();
    const hosts = async (endpoint_url: string) => {
      const { version_id } = await create(project, { endpoint_url });
      return runSql(world.connection, "select host from job_versions where id = $1", [version_id]);
    };
    expect(await hosts("https://Jobs.Example.com:443/a")).toEqual([{ host: "jobs.example.com" }]);
    expect(await hosts("http://127.0.0.1:8080/a?b=c")).toEqual([{ host: "127.0.0.1:8080" }]);
  });

  it("creates a default schedule from its cron", async () => {
    const project = await world.project();
    const { id } = await create(project, { cron: "0 9 * * 1", timezone: "Europe/Berlin", cron_overlap_policy: "skip" });
    await create(project);
    const schedules = await runSql(
      world.connection,
      "select job_id, is_default, cron, timezone, overlap_policy, created_by from schedules where project_id = $1",
      [project.id],
    );
    const times = { cron: "0 9 * * 1", timezone: "Europe/Berlin", overlap_policy: "skip" };
    expect(schedules).toEqual([{ job_id: id, is_default: true, ...times, created_by: "test key" }]);
  });

  it("is audited with the names of its headers, without their values", async () => {
    const { api, key_id } = await world.project();
    const created = await api.post("/v1/jobs", { ...MINIMAL, headers: { Authorization: "Bearer hush-hush" } });
    const [event] = await runSql(world.connection, "select * from audit_events where resource_id = $1", [
      created.body.id,
    ]);
    expect(event).toMatchObject({
      action: "job.created",
      resource_type: "job",
      actor_id: key_id,
      before: null,
      after: { name: MINIMAL.name, headers: { Authorization: "[redacted]" }, version: 1 },
      request_id: created.headers.get("x-request-id"),
    });
    expect(JSON.stringify(event)).not.toContain("hush-hush");
  });

  it("stores headers encrypted, separately for each version", async () => {
    const project = await world.project();
    const { id, version_id } = await create(project, { headers: { Authorization: "Bearer hush-hush" } });
    const other = await create(project, { headers: { Authorization: "Bearer other" } });
    const encryptedOf = async (version: string) =>
      (
        await runSql<{ headers: Buffer }>(world.connection, "select headers from job_versions where id = $1", [version])
      )[0]?.headers ?? Buffer.of();
    const encrypted = await encryptedOf(version_id);
    expect(encrypted.toString("latin1")).not.toMatch(/Authorization|hush/);
    await runSql(world.connection, "update job_versions set headers = $2 where id = $1", [
      version_id,
      await encryptedOf(other.version_id),
    ]);
    expect((await project.api.get(`/v1/jobs/${id}`)).status).toBe(500);
  });

  it("A1 422 when the internal secret names no project", async () => {
    const { id } = await world.project();
    expect((await world.admin.post("/v1/jobs", MINIMAL)).body.code).toBe("project_required");
    expect((await world.admin.post("/v1/jobs", { ...MINIMAL, project_id: id })).body.project_id).toBe(id);
  });

  it("A11 403 without jobs:write", async () => {
    const { newKey } = await world.project();
    const { api } = await newKey({ scopes: ["jobs:read", "jobs:trigger"] });
    expect((await api.post("/v1/jobs", MINIMAL)).body.code).toBe("scope_missing");
  });
});

describe("GET /v1/jobs", () => {
  it("O6 lists the jobs of the project in pages, newest or oldest first", async () => {
    const [project, other] = [await world.project(), await world.project()];
    for (const slug of ["one", "two", "three"]) await create(project, { slug });
    await create(other);
    expect(slugsOf(await project.api.get("/v1/jobs"))).toEqual(["three", "two", "one"]);
    const first = await project.api.get("/v1/jobs?order=asc&limit=2");
    expect([slugsOf(first), first.body.has_more]).toEqual([["one", "two"], true]);
    const second = await project.api.get(`/v1/jobs?order=asc&limit=2&cursor=${first.body.next_cursor}`);
    expect([slugsOf(second), second.body.has_more, second.body.next_cursor]).toEqual([["three"], false, null]);
    const filtered = await project.api.get(`/v1/jobs?order=asc&enabled=true&cursor=${first.body.next_cursor}`);
    expect(filtered.body.code).toBe("invalid_cursor");
  });

  it("shows each with all fields of a get", async () => {
    const project = await world.project();
    await create(project, EVERYTHING);
    const { $schema: _, ...job } = (await project.api.get("/v1/jobs/charge")).body;
    expect((await project.api.get("/v1/jobs")).body.data).toEqual([job]);
  });

  it("filters by tag, with any value or a specific one", async () => {
    const project = await world.project();
    await create(project, { slug: "eu", tags: { region: "eu" } });
    await create(project, { slug: "us", tags: { region: "us", "region:eu": "no" } });
    await create(project, { slug: "odd", tags: { "a:b": "c:d", "%": "_" } });
    const withTag = async (tag: string) =>
      slugsOf(await project.api.get(`/v1/jobs?order=asc&tag=${encodeURIComponent(tag)}`));
    expect(await withTag("region")).toEqual(["eu", "us"]);
    expect(await withTag("region:us")).toEqual(["us"]);
    expect(await withTag("region:eu")).toEqual(["eu"]);
    expect(await withTag("region\\:eu")).toEqual(["us"]);
    expect(await withTag("a\\:b:c:d")).toEqual(["odd"]);
    expect(await withTag("a:b:c:d")).toEqual([]);
    expect(await withTag("%")).toEqual(["odd"]);
    expect(await withTag("regio")).toEqual([]);
    expect(await withTag("region:e")).toEqual([]);
  });

  it("filters by enabled and by environment", async () => {
    const project = await world.project();
    const { id } = (await project.api.get("/v1/environments/staging")).body;
    await create(project, { slug: "off", enabled: false });
    await create(project, { slug: "on", environment_id: id });
    const listed = async (query: string) => slugsOf(await project.api.get(`/v1/jobs?${query}`));
    expect(await listed("enabled=true")).toEqual(["on"]);
    expect(await listed("enabled=false")).toEqual(["off"]);
    for (const ref of [id, "staging"]) expect(await listed(`environment_id=${ref}`)).toEqual(["on"]);
    expect(await listed(`environment_id=${id}&enabled=false`)).toEqual([]);
  });

  it.each(["enabled=1", "environment_id=", "tag=", "tags=eu", "limit=101"])("422 for ?%s", async (query) => {
    const { api } = await world.project();
    expect((await api.get(`/v1/jobs?${query}`)).status).toBe(422);
  });
});

describe("GET /v1/jobs/{jobID}", () => {
  it("finds it by id and by slug; with the internal secret by id only", async () => {
    const project = await world.project();
    const job = await create(project, { slug: "found" });
    expect((await project.api.get("/v1/jobs/found")).body).toEqual(job);
    expect((await project.api.get(`/v1/jobs/${job.id}`)).body).toEqual(job);
    expect((await world.admin.get(`/v1/jobs/${job.id}`)).body.project_id).toBe(project.id);
    expect((await world.admin.get("/v1/jobs/found")).body.code).toBe("project_required");
    expect((await world.admin.get(`/v1/jobs/found?project_id=${project.id}`)).body.id).toBe(job.id);
  });

  it("A2 404 for one of another project, by id and by slug", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const { id } = await create(other, { slug: "theirs" });
    for (const ref of [id, "theirs"]) {
      const response = await mine.api.get(`/v1/jobs/${ref}`);
      expect([response.status, response.body.detail]).toEqual([404, "There is no such job."]);
    }
  });

  it("A11 403 without jobs:read", async () => {
    const project = await world.project();
    const { id } = await create(project);
    const { api } = await project.newKey({ scopes: ["jobs:write"] });
    expect((await api.get(`/v1/jobs/${id}`)).body.code).toBe("scope_missing");
  });
});
