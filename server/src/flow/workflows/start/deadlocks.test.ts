import { beforeAll, describe, expect, it } from "vitest";
import { sub, workflowRunStatus } from "../../../../test/costs/map-bench.ts";
import { type WorkflowBench, workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { breakDeadlocks } from "../maintain/break-deadlocks.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
});

const gate = { step_ref: "gate", type: "wait_for_event", event_key: "{{payload.key}}", timeout_secs: 900 };
const other = {
  step_ref: "other",
  depends_on: ["gate"],
  condition: "payload.left > 0",
  payload: { left: 0, key: "in" },
};

/** Workflows, each limited to one run, each of which starts the next one and the last one the first. */
async function circle(project: TestProject, bench: WorkflowBench, many: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < many; n++) ids.push(await bench.save([gate], { max_concurrent_runs: 1 }));
  for (const [n, id] of ids.entries()) {
    const next = ids[(n + 1) % many] as string;
    const saved = await project.api.patch(`/v1/workflows/${id}`, { steps: [gate, sub(next, other)] });
    expect(saved.status).toBe(200);
  }
  return ids;
}

async function start(many: number) {
  const project = await world.project();
  const bench = await workflowBench(world, project);
  const workflows = await circle(project, bench, many);
  const roots: string[] = [];
  for (const [n, id] of workflows.entries()) {
    roots.push(await bench.start(id, { payload: { left: 1, key: `go-${n}` } }));
    await world.runUntilIdle();
  }
  await project.api.post("/v1/events/in/send", { payload: {}, buffer_secs: 3_000 });
  return { project, bench, workflows, roots };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Each holds the slot of its workflow by now, and continues to where it needs the next one's. */
async function proceed({ project, roots }: Started): Promise<string[]> {
  for (const n of roots.keys()) await project.api.post(`/v1/events/go-${n}/send`, { payload: {} });
  const statuses = () => Promise.all(roots.map((id) => workflowRunStatus(project, id)));
  for (let pass = 0; pass < 12 && (await statuses()).includes("running"); pass++) {
    await world.runUntilIdle();
    await project.api.post("/v1/events/in/send", { payload: {} });
  }
  return statuses();
}

describe("limited workflows that start each other", () => {
  it.each([2, 3])(
    "%i chains that hold each other's slots: the newest fails with workflow_deadlock, the others complete",
    async (many) => {
      const started = await start(many);
      const { project, bench, roots, workflows } = started;
      const statuses = await proceed(started);
      expect(statuses).toEqual([...roots.slice(1).map(() => "completed"), "failed"]);
      const { steps } = await bench.read(roots.at(-1) ?? "");
      expect(steps.other).toMatchObject({ status: "failed", error: { code: "workflow_deadlock" } });
      const child = (await project.api.get(`/v1/workflow-runs/${steps.other.child_workflow_run_id}`)).body;
      expect([child.status, child.error.code]).toEqual(["canceled", "workflow_deadlock"]);
      const held = await runSql<{ active: number }>(
        world.connection,
        "select active from concurrency_counters where project_id = $1 and key = any($2::text[])",
        [project.id, workflows.map((id) => `workflow:${id}`)],
      );
      expect(held.map(({ active }) => active)).toEqual(workflows.map(() => 0));
    },
    60_000,
  );

  it("one chain alone only waits for its slot: no run is canceled", async () => {
    const started = await start(2);
    const { project, roots } = started;
    await project.api.post("/v1/events/go-0/send", { payload: {} });
    await world.runUntilIdle();
    expect(await breakDeadlocks(world.ctx, project.id)).toBe(0);
    expect(await workflowRunStatus(project, roots[0] as string)).toBe("running");
  }, 60_000);
});
