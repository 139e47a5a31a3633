import { beforeAll, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../test/costs/workflow-bench.ts";
import { runNow, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
let emitter: string;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
  bench = await workflowBench(world, project);
  bench.onDispatch("emit", ({ body }) => ({ body: { order: body.payload.id } }));
  emitter = await bench.save([{ step_ref: "emit", event_emit_key: "shipped-{{payload.id}}" }]);
});

const explained = async (run_id: string) =>
  runSql<{ reason: string; detail: object }>(
    world.connection,
    "select reason, detail from workflow_decisions where workflow_run_id = $1 and decision_type = 'emit'",
    [run_id],
  );

describe("a step with event_emit_key", () => {
  it("W4 resolves a waiting step of another workflow with its own output, and that workflow continues", async () => {
    const id = newId();
    const waiter = await bench.save([
      { step_ref: "wait", type: "wait_for_event", event_key: "shipped-{{payload.id}}" },
      { step_ref: "next", depends_on: ["wait"] },
    ]);
    const waiting = await bench.run(waiter, { payload: { id } });
    expect(waiting.statuses.wait).toBe("waiting");
    const { run } = await bench.run(emitter, { payload: { id } });
    expect(await bench.read(waiting.run.id)).toMatchObject({
      run: { status: "completed" },
      steps: { wait: { output: { order: id } }, next: { status: "completed" } },
    });
    const [decision] = await explained(run.id);
    expect(decision?.reason).toBe(`sent shipped-${id} to a step of the workflow run ${waiting.run.id}`);
    const [trigger] = await runSql(world.connection, "select sent_by from event_triggers where event_key = $1", [
      `shipped-${id}`,
    ]);
    expect(trigger).toEqual({ sent_by: `workflow_run:${run.id}/emit` });
  });

  it("W4 resolves a waiting job run", async () => {
    const id = newId();
    const waiting = await waitingRun(world, project, { event_key: `shipped-${id}` });
    const { run } = await bench.run(emitter, { payload: { id } });
    expect((await runNow(world.connection, waiting.run_id)).checkpoint).toEqual({ order: id });
    expect((await explained(run.id))[0]?.reason).toBe(`sent shipped-${id} to the run ${waiting.run_id}`);
  });

  it("W4 records in explain if nothing waits, or it was received already, and does not fail", async () => {
    const id = newId();
    const first = await bench.run(emitter, { payload: { id } });
    expect(first.run.status).toBe("completed");
    expect(await explained(first.run.id)).toMatchObject([
      { reason: `sent shipped-${id}, but nothing was waiting for it` },
    ]);
    await waitingRun(world, project, { event_key: `shipped-${id}` });
    await bench.run(emitter, { payload: { id } });
    const third = await bench.run(emitter, { payload: { id } });
    expect(third.run.status).toBe("completed");
    expect(await explained(third.run.id)).toMatchObject([{ reason: `sent shipped-${id}, which was already received` }]);
  });

  it("W4 with event_emit_buffer_secs it is buffered for the next wait", async () => {
    const id = newId();
    const supervisor = await bench.save([
      { step_ref: "emit", event_emit_key: "kept-{{payload.id}}", event_emit_buffer_secs: 600 },
    ]);
    const { run } = await bench.run(supervisor, { payload: { id } });
    expect((await explained(run.id))[0]?.reason).toMatch(new RegExp(`^sent kept-${id}, buffered until 2`));
    expect((await waitingRun(world, project, { event_key: `kept-${id}` })).trigger).toMatchObject({
      status: "received",
      payload: { order: id },
    });
  });

  it("W4 stays in its project", async () => {
    const id = newId();
    const other = await world.project();
    const waiting = await waitingRun(world, other, { event_key: `shipped-${id}` });
    await bench.run(emitter, { payload: { id } });
    expect((await runNow(world.connection, waiting.run_id)).status).toBe("waiting");
  });

  it("W4 two workflows that send to each other concurrently both continue", async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [newId(), newId()];
      const steps = [
        { step_ref: "wait", type: "wait_for_event", event_key: "{{payload.from}}" },
        { step_ref: "emit", event_emit_key: "{{payload.to}}" },
      ];
      const workflow_id = await bench.save(steps);
      const runs = await Promise.all([
        bench.start(workflow_id, { payload: { from: a, to: b } }),
        bench.start(workflow_id, { payload: { from: b, to: a } }),
      ]);
      await world.runUntilIdle();
      for (const id of runs) expect((await bench.read(id)).run.status).toBe("completed");
    }
  });
});
