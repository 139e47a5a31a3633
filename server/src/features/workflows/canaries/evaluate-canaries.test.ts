import { beforeAll, describe, expect, it } from "vitest";
import { makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  await world.clock.set("2030-01-01T00:00:00Z");
});

type Seeded = { version: "source" | "target"; status: string; count: number; ms?: number };

async function begin(config: object = {}, change: object = {}) {
  const workflow = await makeWorkflow(project, { slug: `workflow-${newId().slice(-12)}` });
  const second = (await project.api.patch(workflow.path, { timeout_secs: 60, ...change })).body.version_id;
  const canary = `${workflow.path}/canary`;
  const auto_promote_config = { steps: [10, 50, 100], interval_secs: 60, min_runs: 20, ...config };
  const { body } = await project.api.post(canary, { source_version: 1, target_version: 2, auto_promote_config });
  const seed = ({ version, status, count, ms = 1_000 }: Seeded) =>
    runSql(
      world.connection,
      `insert into workflow_runs (project_id, id, workflow_id, version_id, version, canary_id, environment_id, status,
         prev_status, payload, trigger_type, created_by, scheduled_at, started_at, finished_at, created_at, updated_at)
       select $1, gen_random_uuid(), $2, $3, 1, $4, e.id, $5, 'running', '{}', 'api', 'seed', clock(), clock(),
         clock() + ($6 + nth) * interval '1 millisecond', clock(), clock()
       from environments e, generate_series(1, $7::int) nth where e.project_id = $1 and e.slug = 'production'`,
      [project.id, workflow.id, version === "source" ? workflow.version_id : second, body.id, status, ms, count],
    );
  const look = async () => {
    await world.clock.pass("2s");
    await world.tick("evaluate-canaries");
    const { traffic_pct, status } = (await project.api.get(canary)).body;
    return [traffic_pct, status];
  };
  return { ...workflow, canary, id: body.id as string, seed, look };
}

const audited = async (id: string) =>
  runSql<{ action: string; actor_kind: string; after: { reason?: string; traffic_pct: number } }>(
    world.connection,
    "select action, actor_kind, after from audit_events where project_id = $1 and resource_id = $2 order by id",
    [project.id, id],
  );

describe("the task evaluate-canaries", () => {
  it("W10 moves a good canary through its steps and promotes it, with an audit event by the service for each", async () => {
    const { id, path, seed, look } = await begin();
    await seed({ version: "source", status: "completed", count: 100 });
    await world.clock.pass("60s");
    expect(await look()).toEqual([10, "active"]); // no run of the target has ended
    for (const next of [50, 100]) {
      await seed({ version: "target", status: "completed", count: 20 });
      await world.clock.pass("60s");
      expect(await look()).toEqual([next, "active"]);
      expect(await look()).toEqual([next, "active"]); // the interval and the sample start over
    }
    await seed({ version: "target", status: "completed", count: 20 });
    expect(await look()).toEqual([100, "active"]);
    await world.clock.pass("60s");
    expect(await look()).toEqual([100, "promoted"]);
    const workflow = await project.api.get(path.replace(/\/canary$/, ""));
    expect(workflow.body.current_version).toBe(2);
    expect((await audited(id)).map(({ action, actor_kind }) => [action, actor_kind])).toEqual([
      ["canary.created", "api_key"],
      ["canary.updated", "service"],
      ["canary.updated", "service"],
      ["canary.promoted", "service"],
    ]);
  });

  it("W7 writes an audit event by the service when it promotes a breaking version over runs in flight", async () => {
    const { path, seed, look } = await begin({ steps: [100], interval_secs: 1 }, { breaking_change: true });
    const run = await project.api.post(`${path}/trigger`, { version: 1, delay_secs: 3_600 });
    expect(run.body.version).toBe(1);
    await seed({ version: "source", status: "completed", count: 20 });
    await seed({ version: "target", status: "completed", count: 20 });
    await world.clock.pass("60s");
    expect(await look()).toEqual([100, "promoted"]);
    const recorded = await audited(run.body.workflow_id);
    expect(recorded.at(-1)).toMatchObject({ action: "workflow.updated_breaking", actor_kind: "service" });
  });

  it("W10 rolls back a target that fails more often, with the reason; new runs use the source", async () => {
    const { id, path, seed, look } = await begin();
    await seed({ version: "source", status: "completed", count: 190 });
    await seed({ version: "source", status: "failed", count: 10 });
    await seed({ version: "target", status: "completed", count: 19 });
    expect(await look()).toEqual([10, "active"]);
    await seed({ version: "target", status: "timed_out", count: 10 });
    expect(await look()).toEqual([10, "rolled_back"]);
    const [, event] = await audited(id);
    expect(event).toMatchObject({
      action: "canary.rolled_back",
      actor_kind: "service",
      after: { reason: "failure_rate", status: "rolled_back" },
    });
    expect((await project.api.post(`${path}/trigger`, {})).body.version).toBe(1);
  });

  it("W10 rolls back a target whose p95 has risen too far, if that is configured", async () => {
    const [asked, silent] = [await begin({ max_p95_increase: 0.2 }), await begin()];
    for (const { seed } of [asked, silent]) {
      await seed({ version: "source", status: "completed", count: 100, ms: 1_000 });
      await seed({ version: "target", status: "completed", count: 30, ms: 2_000 });
    }
    expect(await asked.look()).toEqual([10, "rolled_back"]);
    expect((await audited(asked.id)).at(-1)?.after.reason).toBe("p95");
    expect(await silent.look()).toEqual([10, "active"]);
  });

  it("W10 skips canaries that are not enabled, canceled runs, and deleted workflows", async () => {
    const [off, canceled, gone] = [await begin({ enabled: false }), await begin(), await begin()];
    for (const { seed } of [off, canceled, gone]) await seed({ version: "source", status: "completed", count: 100 });
    for (const { seed } of [off, gone]) await seed({ version: "target", status: "failed", count: 50 });
    await canceled.seed({ version: "target", status: "canceled", count: 50 });
    await project.api.delete(gone.path);
    await world.clock.pass("60s");
    expect(await off.look()).toEqual([10, "active"]);
    expect(await canceled.look()).toEqual([10, "active"]);
    expect((await audited(gone.id)).length).toBe(1);
  });

  it("W10 two concurrent instances change a canary once", async () => {
    const { id, seed, look } = await begin();
    await seed({ version: "source", status: "completed", count: 100 });
    await seed({ version: "target", status: "failed", count: 40 });
    await world.clock.pass("2s");
    await Promise.all([1, 2, 3].map(() => world.tick("evaluate-canaries")));
    expect(await look()).toEqual([10, "rolled_back"]);
    expect((await audited(id)).length).toBe(2);
  });
});
