import { beforeAll, describe, expect, it } from "vitest";
import { type SeedRun, seedJob, seedRun, seedRuns } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const idsOf = (response: { body: { data: { id: string }[] } }) => response.body.data.map((each) => each.id);
const seed = ({ id }: TestProject, run: SeedRun = {}) => seedRun(world.connection, id, run);

async function environment({ api }: TestProject, slug: string): Promise<string> {
  return (await api.get(`/v1/environments/${slug}`)).body.id;
}

describe("GET /v1/runs/{runID}", () => {
  it("R2 returns every field, with tags, concurrency_key, created_by, batch_id and job_version_id", async () => {
    const project = await world.project();
    const job = await seedJob(world.connection, project.id);
    const batch_id = newId();
    const id = await seed(project, {
      job_id: job.id,
      tags: { region: "eu" },
      metadata: { deep: { a: [1] } },
      payload: { n: 1 },
      concurrency_key: "customer-1",
      created_by: "alice",
      created_by_id: project.key_id,
      batch_id,
      priority: 7,
      scheduled_at: "2040-01-01T00:00:00Z",
    });
    const { status, body } = await project.api.get(`/v1/runs/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      $schema: `${world.url}/schemas/Run.json`,
      id,
      project_id: project.id,
      job_id: job.id,
      job_version_id: job.version_id,
      environment_id: await environment(project, "production"),
      status: "pending",
      attempt: 0,
      tries_used: 0,
      max_attempts: 3,
      timeout_secs: 300,
      priority: 7,
      payload: { n: 1 },
      metadata: { deep: { a: [1] } },
      tags: { region: "eu" },
      result: null,
      error: null,
      concurrency_key: "customer-1",
      idempotency_key: null,
      batch_id,
      created_by: "alice",
      created_by_id: project.key_id,
      trigger_type: "api",
      parent_run_id: null,
      replay_of: null,
      replayed_by: null,
      schedule_id: null,
      workflow_run_id: null,
      step_ref: null,
      progress: null,
      pause_requested: false,
      cost_microusd: 0,
      scheduled_at: "2040-01-01T00:00:00.000Z",
      started_at: null,
      finished_at: null,
      dead_lettered_at: null,
      replayed_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  it("keeps payloads and results of every JSON type", async () => {
    const project = await world.project();
    for (const value of [{}, [], [null, { a: "é🦊" }], "text", 0, -1.5, true]) {
      const id = await seed(project, { status: "completed", payload: value, result: value });
      expect((await project.api.get(`/v1/runs/${id}`)).body).toMatchObject({ payload: value, result: value });
    }
  });

  it("the internal secret finds it by id alone; 404 for another project's", async () => {
    const [mine, other] = [await world.project(), await world.project()];
    const id = await seed(mine);
    expect((await world.admin.get(`/v1/runs/${id}`)).body.project_id).toBe(mine.id);
    expect((await other.api.get(`/v1/runs/${id}`)).status).toBe(404);
    expect((await mine.api.get("/v1/runs/nothing-of-the-kind")).status).toBe(404);
  });

  it("A11 403 without runs:read", async () => {
    const { newKey } = await world.project();
    const { api } = await newKey({ scopes: ["jobs:read"] });
    expect((await api.get(`/v1/runs/${newId()}`)).body.code).toBe("scope_missing");
  });
});

describe("GET /v1/runs", () => {
  it("O6 lists the newest first, in pages that neither skip nor repeat", async () => {
    const project = await world.project();
    const created_at = "2030-05-05T05:05:05.555Z";
    const ids = await seedRuns(
      world.connection,
      project.id,
      Array.from({ length: 7 }, (_, n) => (n < 4 ? { created_at } : {})),
    );
    const shown: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await project.api.get(`/v1/runs?limit=2${cursor && `&cursor=${cursor}`}`);
      shown.push(...idsOf(page));
      cursor = page.body.next_cursor;
    }
    // The first four have the same timestamp, years ahead: their ids decide.
    expect(shown).toEqual([...ids.slice(0, 4).toReversed(), ...ids.slice(4).toReversed()]);
    expect(idsOf(await project.api.get("/v1/runs?order=asc"))).toEqual(shown.toReversed());
  });

  it("R7 filters by one status or several; the internal secret must name the project", async () => {
    const project = await world.project();
    const statuses = [
      "pending",
      "running",
      "waiting",
      "paused",
      "completed",
      "failed",
      "timed_out",
      "canceled",
    ] as const;
    const ids = await seedRuns(
      world.connection,
      project.id,
      statuses.map((status) => ({ status })),
    );
    for (const [at, status] of statuses.entries()) {
      expect(idsOf(await project.api.get(`/v1/runs?status=${status}`)), status).toEqual([ids[at]]);
    }
    const several = await project.api.get("/v1/runs?status=running,failed,pending&order=asc");
    expect(idsOf(several)).toEqual([ids[0], ids[1], ids[5]]);
    expect(idsOf(await project.api.get("/v1/runs?status=pending,running&order=asc"))).toEqual(ids.slice(0, 2));
    expect((await world.admin.get("/v1/runs")).body.code).toBe("project_required");
    expect(idsOf(await world.admin.get(`/v1/runs?project_id=${project.slug}`))).toHaveLength(8);
  });

  it.each([
    ["status=done", "query.status"],
    ["status=pending,", "query.status"],
    ["status=pending;running", "query.status"],
    ["batch_id=x", "query.batch_id"],
    ["trigger_type=magic", "query.trigger_type"],
    ["parent_run_id=x", "query.parent_run_id"],
    ["dead_letter=yes", "query.dead_letter"],
    ["from=yesterday", "query.from"],
    ["from=0000-01-01T00:00:00Z", "query.from"],
    ["to=2016-12-31T23:59:60Z", "query.to"],
    ["tag=", "query.tag"],
    ["shade=red", "query.shade"],
  ])("422 for %s, with its location", async (query, location) => {
    const { api } = await world.project();
    const response = await api.get(`/v1/runs?${query}`);
    expect([response.status, response.body.errors?.[0]?.location]).toEqual([422, location]);
  });

  it("filters by job, by id or slug", async () => {
    const project = await world.project();
    const job = await seedJob(world.connection, project.id, { slug: "nightly" });
    const id = await seed(project, { job_id: job.id });
    await seed(project);
    expect(idsOf(await project.api.get(`/v1/runs?job_id=${job.id}`))).toEqual([id]);
    expect(idsOf(await project.api.get("/v1/runs?job_id=nightly"))).toEqual([id]);
  });

  it("R2 filters by batch, concurrency key, creator, trigger type and parent", async () => {
    const project = await world.project();
    const [batch_id, parent_run_id] = [newId(), newId()];
    const wanted: SeedRun = {
      batch_id,
      concurrency_key: "k 1",
      created_by: "Alice & co",
      trigger_type: "cron",
      parent_run_id,
    };
    const id = await seed(project, wanted);
    await seed(project, { batch_id: newId(), concurrency_key: "k 2", created_by: "Bob", parent_run_id: newId() });
    for (const [name, value] of Object.entries(wanted)) {
      const response = await project.api.get(`/v1/runs?${name}=${encodeURIComponent(String(value))}`);
      expect(idsOf(response), name).toEqual([id]);
    }
  });

  it("filters by tag=key and tag=key:value, split at the first colon without a backslash", async () => {
    const project = await world.project();
    const eu = await seed(project, { tags: { region: "eu" } });
    const us = await seed(project, { tags: { region: "us", "a:b": "c:d" } });
    const ask = async (tag: string) =>
      idsOf(await project.api.get(`/v1/runs?tag=${encodeURIComponent(tag)}&order=asc`));
    expect(await ask("region")).toEqual([eu, us]);
    expect(await ask("region:us")).toEqual([us]);
    expect(await ask("region:u")).toEqual([]);
    expect(await ask("a\\:b")).toEqual([us]);
    expect(await ask("a\\:b:c:d")).toEqual([us]);
    for (const other of ["a:b", "a:b:c:d", "a\\:b:c", "a\\:b\\:c:d"])
      expect([other, await ask(other)]).toEqual([other, []]);
    expect(await ask("eu")).toEqual([]);
    expect(await ask("%")).toEqual([]);
  });

  it("filters by the dead-letter queue and by time", async () => {
    const project = await world.project();
    const letter = await seed(project, { status: "failed", is_dead_letter: true, created_at: "2031-01-01T00:00:00Z" });
    const other = await seed(project, { status: "failed", created_at: "2031-01-02T00:00:00Z" });
    expect(idsOf(await project.api.get("/v1/runs?dead_letter=true"))).toEqual([letter]);
    expect(idsOf(await project.api.get("/v1/runs?dead_letter=false"))).toEqual([other]);
    const between = async (from: string, to: string) =>
      idsOf(await project.api.get(`/v1/runs?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`));
    expect(await between("2031-01-01T00:00:00Z", "2031-01-02T00:00:00Z")).toEqual([letter]);
    expect(await between("2031-01-01T00:00:00.001Z", "2031-01-02T00:00:00.001Z")).toEqual([other]);
    expect(await between("2031-01-01T23:00:00+23:00", "2031-01-01T23:00:01+23:00")).toEqual([letter]);
  });

  it("A2 a key bound to an environment sees only that environment's runs", async () => {
    const project = await world.project();
    const staging = await environment(project, "staging");
    const [there, here] = [await seed(project, { environment_id: staging }), await seed(project)];
    const child = await seed(project, { parent_run_id: here, environment_id: staging });
    const { api } = await project.newKey({ environment_id: staging });
    expect(idsOf(await api.get("/v1/runs?order=asc"))).toEqual([there, child]);
    expect((await api.get(`/v1/runs/${there}`)).status).toBe(200);
    for (const path of ["", "/transitions", "/attempts", "/children"]) {
      expect((await api.get(`/v1/runs/${here}${path}`)).status, path).toBe(404);
    }
    for (const verb of ["cancel", "pause", "resume", "replay", "discard"]) {
      expect((await api.post(`/v1/runs/${here}/${verb}`, {})).status, verb).toBe(404);
    }
    expect((await api.patch(`/v1/runs/${here}`, { priority: 1 })).status).toBe(404);
    expect((await api.delete(`/v1/runs/${here}/data`)).status).toBe(404);
    expect((await project.api.get(`/v1/runs/${here}`)).body).toMatchObject({ status: "pending", priority: 0 });
  });

  it("no index covers a column that a claim or an end changes, so that both are HOT updates", async () => {
    const indexes = await runSql<{ indexdef: string }>(
      world.connection,
      "select indexdef from pg_indexes where tablename = 'runs'",
    );
    const changing =
      /\b(status|prev_status|transition_count|attempt|tries_used|started_at|finished_at|updated_at|result|error)\b/;
    // Updates of columns in BRIN indexes are HOT since PostgreSQL 16.
    const exact = indexes.filter(({ indexdef }) => !indexdef.includes("USING brin"));
    expect(exact.filter(({ indexdef }) => changing.test(indexdef))).toEqual([]);
    expect(exact.length).toBeGreaterThan(4);
  });
});

describe("GET /v1/runs/{runID}/children", () => {
  it("lists its direct children in pages", async () => {
    const project = await world.project();
    const parent = await seed(project, { status: "running" });
    const children = await seedRuns(
      world.connection,
      project.id,
      Array.from({ length: 3 }, () => ({ parent_run_id: parent })),
    );
    await seed(project, { parent_run_id: children[0] ?? "" });
    await seed(project);
    const first = await project.api.get(`/v1/runs/${parent}/children?limit=2&order=asc`);
    expect([idsOf(first), first.body.has_more]).toEqual([children.slice(0, 2), true]);
    const path = `/v1/runs/${parent}/children?limit=2&order=asc&cursor=${first.body.next_cursor}`;
    expect(idsOf(await project.api.get(path))).toEqual(children.slice(2));
    const elsewhere = `/v1/runs/${children[0]}/children?limit=2&order=asc&cursor=${first.body.next_cursor}`;
    expect((await project.api.get(elsewhere)).body.code).toBe("invalid_cursor");
  });

  it("404 for an unknown run", async () => {
    const { api } = await world.project();
    expect((await api.get(`/v1/runs/${newId()}/children`)).status).toBe(404);
  });
});
