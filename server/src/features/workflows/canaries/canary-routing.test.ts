import { beforeAll, describe, expect, it } from "vitest";
import { makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { routesToTarget } from "../../../flow/workflows/start/route-canary.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

async function begin(traffic_pct: number, fields: object = {}) {
  const workflow = await makeWorkflow(project, { slug: `workflow-${newId().slice(-12)}`, ...fields });
  await project.api.patch(workflow.path, { timeout_secs: 60 });
  const canary = `${workflow.path}/canary`;
  const { body } = await project.api.post(canary, { source_version: 1, target_version: 2, traffic_pct });
  const trigger = async (sent: object = {}, api = project.api) =>
    (await api.post(`${workflow.path}/trigger`, sent)).body;
  return { ...workflow, canary, canary_id: body.id as string, trigger };
}

const storedCanary = async (id: string) => {
  const statement = "select canary_id, version from workflow_runs where project_id = $1 and id = $2";
  const [row] = await runSql<{ canary_id: string | null; version: number }>(world.connection, statement, [
    project.id,
    id,
  ]);
  return row;
};

describe("runs of a workflow with an active canary", () => {
  it("W10 are split by their routing key, which always gets the same version", async () => {
    const { canary_id, trigger } = await begin(50);
    const keys = Array.from({ length: 30 }, (_, nth) => `customer-${nth}`);
    const expected = keys.map((key) => (routesToTarget({ id: canary_id, traffic_pct: 50 }, key) ? 2 : 1));
    const first = await Promise.all(keys.map((routing_key) => trigger({ routing_key })));
    const second = await Promise.all(keys.map((routing_key) => trigger({ routing_key })));
    expect(first.map((run) => run.version)).toEqual(expected);
    expect(second.map((run) => run.version)).toEqual(expected);
    expect(new Set(expected)).toEqual(new Set([1, 2]));
    expect(await storedCanary(first[0].id)).toEqual({ canary_id, version: expected[0] });
    expect(first[0]).not.toHaveProperty("canary_id");
  });

  it("W10 are split by the run's id without a routing key", async () => {
    const { canary_id, trigger } = await begin(50);
    const runs = await Promise.all(Array.from({ length: 30 }, () => trigger()));
    const expected = runs.map((run) => (routesToTarget({ id: canary_id, traffic_pct: 50 }, run.id) ? 2 : 1));
    expect(runs.map((run) => run.version)).toEqual(expected);
    expect(new Set(expected).size).toBe(2);
  });

  it("W10 that request a version get it, and the canary does not count them", async () => {
    const { trigger } = await begin(100);
    const asked = await trigger({ version: 1 });
    expect(await storedCanary(asked.id)).toEqual({ canary_id: null, version: 1 });
    const dry = await trigger({ dry_run: true });
    expect(dry.version).toBe(2);
  });

  it("W10 follow every change at once on every instance, despite its cache", async () => {
    const { canary, path, trigger } = await begin(0);
    const other = await world.anotherInstance();
    const there = async () => {
      const headers = { "x-internal-secret": "internal-secret-of-the-tests-0123456789", "x-project-id": project.id };
      return (await other.anonymous.post(`${path}/trigger`, {}, { headers })).body.version;
    };
    const both = async () => [(await trigger()).version, await there()];
    expect(await both()).toEqual([1, 1]);
    await project.api.patch(canary, { traffic_pct: 100 });
    expect(await both()).toEqual([2, 2]);
    await project.api.post(`${canary}/rollback`);
    expect(await both()).toEqual([1, 1]);
    await project.api.post(canary, { target_version: 2, traffic_pct: 0 });
    expect(await both()).toEqual([1, 1]);
    await project.api.post(`${canary}/promote`);
    expect(await both()).toEqual([2, 2]);
  });

  it("W10 of schedules are routed too, by the run's id", async () => {
    const { id, canary, canary_id } = await begin(100);
    const schedule = await project.api.post("/v1/schedules", { workflow_id: id, cron: "0 6 * * *" });
    const fire = async () => {
      const response = await project.api.post(`/v1/schedules/${schedule.body.id}/run-now`);
      expect([response.status, response.text]).toMatchObject([201, expect.any(String)]);
      const statement = `select id, canary_id, version from workflow_runs where project_id = $1 and workflow_id = $2
        order by id desc limit 1`;
      const [run] = await runSql<{ id: string; canary_id: string; version: number }>(world.connection, statement, [
        project.id,
        id,
      ]);
      return run as { id: string; canary_id: string; version: number };
    };
    expect(await fire()).toMatchObject({ canary_id, version: 2 });
    await project.api.patch(canary, { traffic_pct: 50 });
    const runs = [];
    for (let nth = 0; nth < 8; nth++) runs.push(await fire());
    expect(runs.map((run) => run.version)).toEqual(
      runs.map((run) => (routesToTarget({ id: canary_id, traffic_pct: 50 }, run.id) ? 2 : 1)),
    );
  });

  it("W10 keep their version when the canary ends", async () => {
    const { canary, trigger } = await begin(100);
    const run = await trigger();
    await project.api.post(`${canary}/rollback`);
    expect((await project.api.get(`/v1/workflow-runs/${run.id}`)).body.version).toBe(2);
  });
});

describe("if versions need approval", () => {
  it("W10 W11 the target's author cannot start its canary; another caller can, and so can the author of an approved one", async () => {
    const own = await world.project();
    const workflow = await makeWorkflow(own);
    await own.api.patch(workflow.path, { timeout_secs: 60, activate: false });
    await runSql(
      world.connection,
      `insert into workflow_policies (project_id, require_approval_for_deploy, updated_by, created_at, updated_at)
       values ($1, true, 'seed', clock(), clock())`,
      [own.id],
    );
    const body = { target_version: 2 };
    const refused = await own.api.post(`${workflow.path}/canary`, body);
    expect([refused.status, refused.body.code]).toEqual([403, "same_author"]);
    const { api } = await own.newKey({ name: "another" });
    expect((await api.post(`${workflow.path}/canary`, body)).status).toBe(201);
    await own.api.post(`${workflow.path}/canary/rollback`);
    expect((await own.api.post(`${workflow.path}/canary`, body)).status).toBe(201);
  });
});
