import { beforeAll, describe, expect, it } from "vitest";
import { makeWorkflow, REST } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

/** A workflow with versions 1 and 2; 2 is current unless a canary changes that. */
async function twoVersions() {
  const workflow = await makeWorkflow(project, { slug: `workflow-${newId().slice(-12)}` });
  const patched = await project.api.patch(workflow.path, { timeout_secs: 60 });
  expect(patched.body).toMatchObject({ version: 2, current_version: 2 });
  return { ...workflow, canary: `${workflow.path}/canary`, second: patched.body.version_id as string };
}

async function withCanary(fields: object = {}) {
  const workflow = await twoVersions();
  const body = { source_version: 1, target_version: 2, traffic_pct: 10, ...fields };
  const created = await project.api.post(workflow.canary, body);
  expect([created.status, created.text]).toMatchObject([201, expect.any(String)]);
  return { ...workflow, created: created.body };
}

const currentOf = async ({ path }: { path: string }) => (await project.api.get(path)).body.current_version;

const audited = (id: string) =>
  runSql<{ action: string; actor_kind: string }>(
    world.connection,
    "select action, actor_kind from audit_events where project_id = $1 and resource_id = $2 order by id",
    [project.id, id],
  );

describe("POST /v1/workflows/{workflowID}/canary", () => {
  it("W10 starts one: its source becomes the current version", async () => {
    const workflow = await withCanary();
    expect(workflow.created).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      project_id: project.id,
      workflow_id: workflow.id,
      source_version: 1,
      target_version: 2,
      traffic_pct: 10,
      status: "active",
      auto_promote_config: null,
      completed_at: null,
      $schema: expect.stringContaining("/schemas/Canary.json"),
    });
    expect((await project.api.get(workflow.path)).body).toMatchObject({ current_version: 1, version: 2 });
    expect(await audited(workflow.created.id)).toEqual([{ action: "canary.created", actor_kind: "api_key" }]);
  });

  it("W7 audits a breaking source that replaces the current version", async () => {
    const workflow = await makeWorkflow(project, { slug: `workflow-${newId().slice(-12)}` });
    await project.api.patch(workflow.path, { timeout_secs: 60, breaking_change: true, activate: false });
    await project.api.post(`${workflow.path}/trigger`, {});
    await project.api.post(`${workflow.path}/canary`, { source_version: 2, target_version: 1 });
    expect((await audited(workflow.id)).at(-1)?.action).toBe("workflow.updated_breaking");
  });

  it("W10 the source defaults to the current version, and the share to the first step or 10", async () => {
    const { canary } = await twoVersions();
    const created = await project.api.post(canary, { target_version: 1, auto_promote_config: { steps: [5, 50] } });
    expect(created.body).toMatchObject({
      source_version: 2,
      target_version: 1,
      traffic_pct: 5,
      auto_promote_config: {
        enabled: true,
        steps: [5, 50],
        interval_secs: 300,
        min_runs: 20,
        max_failure_rate_increase: 0,
        max_p95_increase: null,
      },
    });
    const other = await twoVersions();
    expect((await project.api.post(other.canary, { target_version: 1 })).body.traffic_pct).toBe(10);
  });

  it("W10 409 while one is active; of two concurrent ones one wins", async () => {
    const { canary } = await twoVersions();
    const body = { source_version: 1, target_version: 2 };
    const responses = await Promise.all([1, 2, 3, 4].map(() => project.api.post(canary, body)));
    expect(responses.map((response) => response.status).sort()).toEqual([201, 409, 409, 409]);
    expect(responses.filter((response) => response.status === 409).map((response) => response.body.code)).toEqual(
      Array(3).fill("canary_active"),
    );
    expect((await project.api.post(`${canary}/rollback`)).status).toBe(200);
    expect((await project.api.post(canary, body)).status).toBe(201);
  });

  it("W10 422 for unknown versions, and for a target that is the source", async () => {
    const { canary, path } = await twoVersions();
    const refused = await project.api.post(canary, { source_version: 8, target_version: 9 });
    expect([refused.status, refused.body.errors]).toMatchObject([
      422,
      [{ location: "body.source_version" }, { location: "body.target_version" }],
    ]);
    const same = await project.api.post(canary, { target_version: 2 });
    expect([same.status, same.body.errors[0].location]).toEqual([422, "body.target_version"]);
    expect(await currentOf({ path })).toBe(2);
    expect((await project.api.get(canary)).status).toBe(404);
  });

  it.each([
    [{ steps: [10, 10] }, "body.auto_promote_config.steps[1]"],
    [{ steps: [50, 25] }, "body.auto_promote_config.steps[1]"],
    [{ steps: [] }, "body.auto_promote_config.steps"],
    [{ steps: [0] }, "body.auto_promote_config.steps[0]"],
    [{ steps: [101] }, "body.auto_promote_config.steps[0]"],
    [{ interval_secs: 0 }, "body.auto_promote_config.interval_secs"],
    [{ min_runs: 0 }, "body.auto_promote_config.min_runs"],
    [{ max_failure_rate_increase: 1.5 }, "body.auto_promote_config.max_failure_rate_increase"],
    [{ max_p95_increase: -1 }, "body.auto_promote_config.max_p95_increase"],
    [{ enabled: "yes" }, "body.auto_promote_config.enabled"],
    [{ unknown: 1 }, "body.auto_promote_config.unknown"],
  ])("W10 422 for auto_promote_config %j", async (auto_promote_config, location) => {
    const { canary } = await twoVersions();
    const refused = await project.api.post(canary, { source_version: 1, target_version: 2, auto_promote_config });
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, location]);
  });

  it("W10 while it is active, a change of the steps requires activate: false, and no version can be activated", async () => {
    const { path, second, canary } = await withCanary();
    const steps = [{ ...REST, sleep_duration: "2h" }];
    expect((await project.api.patch(path, { steps })).body.code).toBe("canary_active");
    expect((await project.api.patch(path, { timeout_secs: 5 })).status).toBe(409);
    expect((await project.api.post(`${path}/versions/${second}/activate`)).body.code).toBe("canary_active");
    expect((await project.api.patch(path, { name: "Renamed" })).body).toMatchObject({ name: "Renamed", version: 2 });
    const stored = await project.api.patch(path, { steps, activate: false });
    expect([stored.status, stored.body.version, stored.body.current_version]).toEqual([200, 3, 1]);
    await project.api.post(`${canary}/promote`);
    expect((await project.api.patch(path, { timeout_secs: 5 })).body.current_version).toBe(4);
  });
});

describe("GET /v1/workflows/{workflowID}/canary", () => {
  it("W10 compares both versions; without runs there is nothing to compare", async () => {
    const { canary, created } = await withCanary();
    const none = {
      runs: 0,
      active_runs: 0,
      success_rate: null,
      error_rate: null,
      p50_ms: null,
      p95_ms: null,
      p99_ms: null,
    };
    const { body } = await project.api.get(canary);
    expect(body).toMatchObject({ ...created, $schema: expect.stringContaining("/CanaryComparison.json") });
    expect(body.metrics).toMatchObject({
      source: { version: 1, ...none },
      target: { version: 2, ...none },
      probability_target_worse: null,
    });
  });

  it("W10 counts only the runs that it has routed", async () => {
    const { canary, created, path, version_id, second } = await withCanary({ traffic_pct: 50 });
    await project.api.post(`${path}/trigger`, { version: 2 }); // a requested version is not routed
    const run = (version: string, canary_id: string | null, status: string, ms: number) =>
      runSql(
        world.connection,
        `insert into workflow_runs (project_id, id, workflow_id, version_id, version, canary_id, environment_id, status,
           prev_status, payload, trigger_type, created_by, scheduled_at, started_at, finished_at, created_at, updated_at)
         select $1, $2, w.id, $3, 1, $4, e.id, $5, 'running', '{}', 'api', 'seed', clock(), clock(),
           clock() + $6 * interval '1 millisecond', clock(), clock()
         from workflows w join environments e on e.project_id = w.project_id and e.slug = 'production'
         where w.project_id = $1 and w.id = $7`,
        [project.id, newId(), version, canary_id, status, ms, created.workflow_id],
      );
    for (let nth = 1; nth <= 9; nth++) await run(version_id, created.id, "completed", nth * 100);
    await run(version_id, created.id, "failed", 5);
    await run(version_id, created.id, "canceled", 5);
    for (const status of ["completed", "failed", "timed_out", "failed"]) await run(second, created.id, status, 1_000);
    await run(second, null, "failed", 1);
    await run(second, newId(), "failed", 1);
    const { metrics } = (await project.api.get(canary)).body;
    expect(metrics.source).toMatchObject({
      version: 1,
      version_id,
      runs: 11,
      active_runs: 0,
      p50_ms: 500,
      p95_ms: 860,
    });
    expect([metrics.source.success_rate, metrics.source.error_rate, metrics.source.p99_ms]).toEqual([0.9, 0.1, 892]);
    expect(metrics.target).toMatchObject({ runs: 4, success_rate: 0.25, error_rate: 0.75, p50_ms: 1_000 });
    expect(metrics.probability_target_worse).toBeGreaterThan(0.95);
    expect(metrics.probability_target_worse).toBeLessThan(1);
  });

  it("W10 404 before the first one; returns the last one if none is active", async () => {
    const { canary } = await twoVersions();
    expect((await project.api.get(canary)).body).toMatchObject({ status: 404, detail: "There is no such canary." });
    await project.api.post(canary, { source_version: 1, target_version: 2 });
    await project.api.post(`${canary}/promote`);
    expect((await project.api.get(canary)).body.status).toBe("promoted");
  });

  it("W10 the workflow says whether there is one, so that clients need not request it to find out", async () => {
    const { id: workflow_id, canary } = await twoVersions();
    const canaryOf = async () => (await project.api.get(`/v1/workflows/${workflow_id}`)).body.canary_id;
    expect(await canaryOf()).toBeNull();
    const { id } = (await project.api.post(canary, { source_version: 1, target_version: 2 })).body;
    expect(await canaryOf()).toBe(id);
    await project.api.post(`${canary}/rollback`);
    expect(await canaryOf()).toBe(id);
    const next = (await project.api.post(canary, { source_version: 1, target_version: 2 })).body.id;
    const { data } = (await project.api.get("/v1/workflows?limit=100")).body;
    expect(data.find((each: { id: string }) => each.id === workflow_id).canary_id).toBe(next);
  });
});

describe("PATCH /v1/workflows/{workflowID}/canary", () => {
  it("W10 changes the share, and is audited; an update that changes nothing is not", async () => {
    const { canary, created } = await withCanary();
    expect((await project.api.patch(canary, { traffic_pct: 40 })).body).toMatchObject({
      traffic_pct: 40,
      status: "active",
    });
    expect((await project.api.patch(canary, { traffic_pct: 40 })).status).toBe(200);
    expect((await project.api.patch(canary, {})).body.traffic_pct).toBe(40);
    expect((await audited(created.id)).map(({ action }) => action)).toEqual(["canary.created", "canary.updated"]);
    const { body } = await project.api.patch(canary, { auto_promote_config: { min_runs: 5 } });
    expect(body).toMatchObject({ traffic_pct: 40, auto_promote_config: { min_runs: 5, enabled: true } });
    expect((await project.api.patch(canary, body)).status).toBe(200);
    expect((await project.api.patch(canary, { auto_promote_config: null })).body.auto_promote_config).toBeNull();
  });

  it("W10 422 outside 0 to 100, for a fraction, and for an invalid configuration; read-only fields stay", async () => {
    const { canary } = await withCanary();
    for (const traffic_pct of [-1, 101, 2.5, "10", null]) {
      const refused = await project.api.patch(canary, { traffic_pct });
      expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.traffic_pct"]);
    }
    const steps = await project.api.patch(canary, { auto_promote_config: { steps: [20, 10] } });
    expect([steps.status, steps.body.errors[0].location]).toEqual([422, "body.auto_promote_config.steps[1]"]);
    expect((await project.api.patch(canary, { target_version: 1 })).body.code).toBe("read_only_field");
  });

  it("W10 409 once it has ended, 404 before the first one", async () => {
    const { canary } = await twoVersions();
    expect((await project.api.patch(canary, { traffic_pct: 5 })).status).toBe(404);
    await project.api.post(canary, { source_version: 1, target_version: 2 });
    await project.api.post(`${canary}/rollback`);
    expect((await project.api.patch(canary, { traffic_pct: 5 })).body.code).toBe("canary_ended");
  });
});

describe("POST /v1/workflows/{workflowID}/canary/promote", () => {
  it("W10 makes the target the current version", async () => {
    const workflow = await withCanary();
    const { body } = await project.api.post(`${workflow.canary}/promote`);
    expect(body).toMatchObject({ id: workflow.created.id, status: "promoted", completed_at: expect.any(String) });
    expect((await project.api.get(workflow.path)).body).toMatchObject({
      current_version: 2,
      version_id: workflow.second,
    });
    expect((await audited(body.id)).at(-1)).toEqual({ action: "canary.promoted", actor_kind: "api_key" });
    expect((await project.api.post(`${workflow.canary}/promote`)).body.code).toBe("canary_ended");
  });

  it("W7 audits a breaking version like an update does, if runs are in flight on the source", async () => {
    const workflow = await makeWorkflow(project, { slug: `workflow-${newId().slice(-12)}` });
    const change = { timeout_secs: 60, breaking_change: true, activate: false };
    const stored = (await project.api.patch(workflow.path, change)).body.inactive_version_id;
    await project.api.post(`${workflow.path}/canary`, { target_version: 2, traffic_pct: 0 });
    await project.api.post(`${workflow.path}/trigger`, {});
    await project.api.post(`${workflow.path}/canary/promote`);
    expect((await audited(workflow.id)).at(-1)).toEqual({ action: "workflow.updated_breaking", actor_kind: "api_key" });
    const { data } = (await project.api.get("/v1/audit-events?action=workflow.updated_breaking")).body;
    expect(data[0]).toMatchObject({
      resource_id: workflow.id,
      before: { version: 1, version_id: workflow.version_id },
      after: { version: 2, version_id: stored, active_runs_on_previous_version: 1 },
    });
  });

  it("W7 does not audit a compatible version, a change without runs in flight, or a rollback as breaking", async () => {
    for (const [breaking_change, runs, verb] of [
      [false, 1, "promote"],
      [true, 0, "promote"],
      [true, 1, "rollback"],
    ] as const) {
      const workflow = await makeWorkflow(project, { slug: `workflow-${newId().slice(-12)}` });
      await project.api.patch(workflow.path, { timeout_secs: 60, breaking_change, activate: false });
      await project.api.post(`${workflow.path}/canary`, { target_version: 2, traffic_pct: 0 });
      for (let nth = 0; nth < runs; nth++) await project.api.post(`${workflow.path}/trigger`, {});
      expect((await project.api.post(`${workflow.path}/canary/${verb}`)).status).toBe(200);
      expect((await audited(workflow.id)).map(({ action }) => action)).not.toContain("workflow.updated_breaking");
    }
  });

  it("W10 racing with a rollback one wins, and the workflow is in the state it returned", async () => {
    for (let nth = 0; nth < 4; nth++) {
      const workflow = await withCanary();
      const ends = ["promote", "rollback", "promote", "rollback"];
      const responses = await Promise.all(ends.map((end) => project.api.post(`${workflow.canary}/${end}`)));
      const won = responses.filter((response) => response.status === 200);
      expect(won).toHaveLength(1);
      expect(responses.filter((response) => response.body.code === "canary_ended")).toHaveLength(3);
      expect(await currentOf(workflow)).toBe(won[0]?.body.status === "promoted" ? 2 : 1);
      expect((await audited(workflow.created.id)).length).toBe(2);
    }
  });
});

describe("POST /v1/workflows/{workflowID}/canary/rollback", () => {
  it("W10 keeps the source as the current version", async () => {
    const workflow = await withCanary();
    const { body } = await project.api.post(`${workflow.canary}/rollback`);
    expect(body).toMatchObject({ status: "rolled_back", completed_at: expect.any(String) });
    expect((await project.api.get(workflow.path)).body).toMatchObject({
      current_version: 1,
      version_id: workflow.version_id,
    });
    expect((await audited(body.id)).at(-1)).toEqual({ action: "canary.rolled_back", actor_kind: "api_key" });
    expect((await project.api.post(`${workflow.canary}/rollback`)).body.code).toBe("canary_ended");
  });
});
