import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { storedRollups } from "../../../../test/oracles/rollup-recount.ts";
import { recountedWorkflows } from "../../../../test/oracles/rollup-recount-others.ts";
import { Crash, crashing } from "../../../../test/world/crashing.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { sumChanges } from "../../../engine/sum-changes.ts";
import { reconcileRollups } from "./reconcile-rollups.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeFlowWorld();
});

async function begin(): Promise<void> {
  await world.clock.set("2030-06-15T11:59:30Z");
  project = await world.project();
  bench = await workflowBench(world, project);
  bench.onDispatch("no", () => ({ status: 400 }));
}

/** Runs that complete, fail, are retried, stay queued across the hour, and one canceled before it began. */
async function live(): Promise<{ queue: string; late: string }> {
  const good = await bench.save([{ step_ref: "yes" }, { step_ref: "then", depends_on: ["yes"] }]);
  const bad = await bench.save([{ step_ref: "no" }]);
  const rest = { step_ref: "rest", type: "sleep", sleep_duration: "90s" };
  const queue = await bench.save([rest], { max_concurrent_runs: 1 });
  for (let nth = 0; nth < 3; nth++) await bench.run(good);
  const { run } = await bench.run(bad);
  await bench.start(queue);
  const late = await bench.start(queue);
  const given_up = await bench.start(queue);
  await world.runUntilIdle();
  await post(`/v1/workflow-runs/${given_up}/cancel`);
  await world.clock.pass("2m");
  await world.runUntilIdle();
  await post(`/v1/workflow-runs/${run.id}/retry`);
  await world.runUntilIdle();
  await post(`/v1/workflow-runs/${given_up}/retry`);
  await world.clock.pass("4m");
  await world.runUntilIdle();
  return { queue, late };
}

async function post(path: string, body: object = {}): Promise<void> {
  const response = await project.api.post(path, body);
  expect(response.status, response.text).toBeLessThan(300);
}

const rollUp = async () => {
  while (await world.tick("sum-changes"));
};
const stored = () => storedRollups(world.connection, project.id, "workflows");
const recounted = () => recountedWorkflows(world.connection, project.id);
const change = (text: string) => runSql<Record<string, string>>(world.connection, text, [project.id]);

/** Every minute in which something happened in the project. */
async function checkAll(): Promise<void> {
  const minutes = await change(
    `select distinct to_char(date_trunc('minute', at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"') as minute from (
       select created_at as at from workflow_runs where project_id = $1
       union select created_at from workflow_decisions where project_id = $1
       union select bucket_at from rollups where project_id = $1 and series = 'workflows' and grain = 60
     ) times`,
  );
  for (const { minute = "" } of minutes) await reconcileRollups(world.ctx, { project_id: project.id, minute });
}

async function repairs(): Promise<number> {
  const { values } = await world.ctx.metrics.repairs.get();
  return values.find(({ labels }) => labels.kind === "rollup")?.value ?? 0;
}

/** The tests share one history: each leaves rollups that are correct, the last one deletes a run. */
describe("rollups of workflow runs", () => {
  let late: string;
  beforeAll(async () => {
    await begin();
    late = (await live()).late;
  });

  it("N3 equal a plain recount, whenever the consumer crashes", async () => {
    for (const dies of [1, 2, 3, 4, "before commit", "after commit"] as const)
      await sumChanges(crashing(world.ctx, dies)).catch((error) => expect(error).toBeInstanceOf(Crash));
    await rollUp();
    expect(await stored()).toEqual(await recounted());
    expect((await stored()).length).toBeGreaterThan(20);
  });

  it("finds nothing to repair in correct rollups", async () => {
    await rollUp();
    const [before, all] = [await repairs(), await stored()];
    await checkAll();
    expect(await stored()).toEqual(all);
    expect(await repairs()).toBe(before);
  });

  it("repairs hours and days that are not the sum of their parts, also after a crash halfway", async () => {
    await rollUp();
    const all = await stored();
    await change(
      "update rollups set counts[2] = 9, sketch = null where project_id = $1 and series = 'workflows' and grain = 3600",
    );
    await change("delete from rollups where project_id = $1 and series = 'workflows' and grain = 86400");
    const minute = "2030-06-15T11:59:00.000Z";
    const dying = crashing(world.ctx, "before commit");
    await expect(reconcileRollups(dying, { project_id: project.id, minute })).rejects.toThrow(Crash);
    await checkAll();
    expect(await stored()).toEqual(all);
  });

  it("repairs minutes that are missing, too many and misplaced, up to their days", async () => {
    await rollUp();
    await change("delete from rollups where project_id = $1 and series = 'workflows' and split = 'workflow'");
    await change(
      "update rollups set counts[1] = counts[1] + 5, counts[3] = 0 where project_id = $1 and series = 'workflows' and split = 'all'",
    );
    await change(
      `update rollups set bucket_at = bucket_at + interval '1 day', sketch = null
       where project_id = $1 and series = 'workflows' and split = 'workflow_version'`,
    );
    const before = await repairs();
    await checkAll();
    expect((await stored()).filter((each) => !/\[[0 ]+\]/.test(each))).toEqual(await recounted());
    expect(await repairs()).toBeGreaterThan(before);
  });

  it("leaves a minute alone whose runs may be past their retention", async () => {
    await rollUp();
    const before = await stored();
    await runSql(world.connection, "delete from workflow_runs where project_id = $1 and id = $2", [project.id, late]);
    const short = { ...world.ctx, config: { ...world.ctx.config, workflow_run_retention_secs: 60 } };
    await reconcileRollups(short, { project_id: project.id, minute: "2030-06-15T11:59:00.000Z" });
    expect(await stored()).toEqual(before);
  });
});

describe("the reconciliation of rollups of workflow runs", () => {
  beforeEach(begin);

  it("repairs nothing of a minute with a decision that is not counted yet", async () => {
    const workflow = await bench.save([{ step_ref: "yes" }]);
    await bench.run(workflow);
    await rollUp();
    const before = await stored();
    await bench.start(workflow);
    await checkAll();
    expect(await stored()).toEqual(before);
    await rollUp();
    expect(await stored()).toEqual(await recounted());
  });

  it("leaves the versions of a minute whose run was migrated since, and repairs the rest of it", async () => {
    const rest = { step_ref: "rest", type: "sleep", sleep_duration: "90s" };
    const workflow = await bench.save([rest]);
    await bench.run(workflow);
    await rollUp();
    const before = await stored();
    const changed = await project.api.patch(`/v1/workflows/${workflow}`, {
      steps: [rest, { step_ref: "more", job_id: bench.job_id, depends_on: ["rest"] }],
    });
    expect(changed.status, changed.text).toBe(200);
    await post(`/v1/workflows/${workflow}/migrate-runs`, { to_version: 2, dry_run: false });
    await rollUp();
    await change("delete from rollups where project_id = $1 and series = 'workflows' and split in ('all', 'workflow')");
    await checkAll();
    expect(await stored()).toEqual(before);
  });

  it.each([
    ["were removed", "delete from workflow_runs where project_id = $1"],
    ["were erased", "update workflow_decisions set detail = null, reason = '[deleted]' where project_id = $1"],
  ])("keeps the counts of runs that %s", async (_, text) => {
    await bench.run(await bench.save([{ step_ref: "yes" }]));
    await rollUp();
    const before = await stored();
    await change(text);
    await checkAll();
    expect(await stored()).toEqual(before);
  });
});

describe("the rollup of a workflow run", () => {
  beforeEach(begin);

  it("counts a run whose data was erased by its current status", async () => {
    const { run } = await bench.run(await bench.save([{ step_ref: "yes" }]));
    const emptied = await project.api.delete(`/v1/workflow-runs/${run.id}/data`);
    expect(emptied.status, emptied.text).toBeLessThan(300);
    await rollUp();
    const { body } = await project.api.get("/v1/analytics/workflows/summary");
    expect(body.total).toMatchObject({ started: 1, completed: 1 });
  });
});
