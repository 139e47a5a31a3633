import { beforeAll, describe, expect, it } from "vitest";
import { mapOf } from "../../../../test/costs/map-bench.ts";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { seedWorkflow, seedWorkflowRun } from "../../../../test/seed/seed-workflow-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { parseConfig } from "../../../platform/settings/config.ts";
import { lockWorkflowRuns } from "../progress/load-runs.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld({ config: { workflow_run_retention_secs: 3_600, run_retention_secs: 3_600 } });
});

const OLD = "2020-01-01T00:00:00Z";
const count = async (table: "workflow_runs" | "step_runs", project: TestProject) => {
  const [row] = await runSql<{ n: number }>(
    world.connection,
    `select count(*)::int as n from ${table} where project_id = $1`,
    [project.id],
  );
  return row?.n;
};
const seed = (project: TestProject, run: Parameters<typeof seedWorkflowRun>[2]) =>
  seedWorkflowRun(world.connection, project.id, run);

describe("retention of workflow runs", () => {
  it("deletes ended workflow runs past WORKFLOW_RUN_RETENTION, with their steps, and nothing else", async () => {
    const project = await world.project();
    await seed(project, { status: "completed", finished_at: OLD });
    await seed(project, { status: "canceled", finished_at: OLD });
    const fresh = await seed(project, { status: "failed" });
    const live = await seed(project, { created_at: OLD });
    while (await world.tick("remove-old-rows"));
    const { body } = await project.api.get("/v1/workflow-runs");
    const ids = body.data.map((run: { id: string }) => run.id);
    expect(ids.toSorted()).toEqual([fresh, live].toSorted());
    expect(await count("step_runs", project)).toBe(4);
  });

  it("works page by page", async () => {
    const project = await world.project();
    const workflow = await seedWorkflow(world.connection, project.id);
    for (let nth = 0; nth < 101; nth++) await seed(project, { workflow, status: "completed", finished_at: OLD });
    expect(await world.tick("remove-old-rows")).toBe(true);
    expect(await count("workflow_runs", project)).toBe(1);
    expect(await world.tick("remove-old-rows")).toBe(false);
    expect([await count("workflow_runs", project), await count("step_runs", project)]).toEqual([0, 0]);
  });

  it("skips a run that is about to be retried", async () => {
    const project = await world.project();
    const id = await seed(project, { status: "failed", finished_at: OLD });
    await inTransaction(world.ctx, async (tx) => {
      await lockWorkflowRuns(tx, [{ project_id: project.id, workflow_run_id: id }]);
      await world.tick("remove-old-rows");
    });
    expect([await count("workflow_runs", project), await count("step_runs", project)]).toEqual([1, 2]);
  });
});

describe("results that a paused workflow run has yet to apply", () => {
  const sub = (workflow_id: string) => ({ step_ref: "sub", type: "sub_workflow", workflow_id });

  it.each(["a job step", "items of a map", "a sub_workflow step"])(
    "are kept beyond their age: %s",
    async (kind) => {
      const project = await world.project();
      const bench = await workflowBench(world, project);
      const steps = kind === "a job step" ? [{ step_ref: "a" }] : kind === "items of a map" ? [mapOf(bench)] : [];
      const workflow = await bench.save(steps.length > 0 ? steps : [sub(await bench.save([{ step_ref: "a" }]))]);
      const id = await bench.start(workflow, { payload: { list: [1, 2] } });
      await endWhilePaused(project, id);
      await world.clock.pass("168h");
      while (await world.tick("remove-old-rows"));
      await project.api.post(`/v1/workflow-runs/${id}/resume`, {});
      await untilEnded(async () => (await bench.read(id)).run.status === "completed");
      await world.clock.pass("168h");
      while (await world.tick("remove-old-rows"));
      expect((await project.api.get("/v1/runs")).body.data).toEqual([]);
    },
    60_000,
  );

  /** Running steps continue while their workflow run is paused, and end. */
  async function endWhilePaused(project: TestProject, id: string): Promise<void> {
    for (let pass = 0; pass < 4; pass++) await world.tick("start-due-workflow-runs");
    await runSql(
      world.connection,
      `update workflow_runs set prev_status = status, status = 'paused', transition_count = transition_count + 1 where project_id = $1 and id = $2`,
      [project.id, id],
    );
    await untilEnded(async () => {
      const { data } = (await project.api.get("/v1/runs")).body;
      return data.length > 0 && data.every((run: { status: string }) => run.status === "completed");
    });
  }

  async function untilEnded(hasEnded: () => Promise<boolean>): Promise<void> {
    for (let pass = 0; pass < 6 && !(await hasEnded()); pass++) await world.runUntilIdle();
    expect(await hasEnded()).toBe(true);
  }
});

describe("WORKFLOW_RUN_RETENTION", () => {
  const read = (env: Record<string, string>) => parseConfig("dev", env, "/");

  it("is a duration, 2160h by default", () => {
    expect(read({})).toMatchObject({ config: { workflow_run_retention_secs: 2_160 * 3_600 } });
    expect(read({ WORKFLOW_RUN_RETENTION: "48h" })).toMatchObject({ config: { workflow_run_retention_secs: 172_800 } });
    const mistakes = [expect.stringContaining('WORKFLOW_RUN_RETENTION is "soon"')];
    expect(read({ WORKFLOW_RUN_RETENTION: "soon" })).toEqual({ ok: false, mistakes });
  });
});
