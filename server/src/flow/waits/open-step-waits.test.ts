import { beforeAll, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../test/costs/workflow-bench.ts";
import { countsOf, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { giveUpBlocked, holdGate } from "../../../test/world/queue-world.ts";
import { rounds } from "../../../test/world/rounds.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { cancelTrigger } from "../events/cancel-trigger.ts";
import { sendEvent } from "../events/send-event.ts";
import { sendPrefix } from "../events/send-prefix.ts";
import { whenProgressed } from "../workflows/progress/progress-soon.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
  bench = await workflowBench(world, project);
});

const send = (event_key: string, payload: unknown, buffer_secs?: number) =>
  sendEvent(world.ctx, { project_id: project.id, event_key, payload, sent_by: "test", buffer_secs });
const waitStep = (fields: object = {}) => ({
  step_ref: "wait",
  type: "wait_for_event",
  event_key: "order-{{payload.id}}",
  timeout_secs: 60,
  ...fields,
});
const AFTER = { step_ref: "after", depends_on: ["wait"], payload: { got: "{{parent_outputs.wait}}" } };

/** A workflow run with a waiting step, and the key it waits for. */
async function waiting(wait: object = {}, others: object[] = [AFTER]) {
  const workflow_id = await bench.save([waitStep(wait), ...others]);
  const id = newId();
  const { run, steps } = await bench.run(workflow_id, { payload: { id } });
  expect(steps.wait.status).toBe("waiting");
  const trigger_id: string = (
    await runSql<{ id: string }>(world.connection, "select id from event_triggers where workflow_run_id = $1", [run.id])
  )[0]?.id as string;
  return { run_id: run.id as string, event_key: `order-${id}`, trigger_id, step: steps.wait };
}

const triggerNow = async (id: string) =>
  (await runSql<{ status: string }>(world.connection, "select * from event_triggers where id = $1", [id]))[0];

describe("a step that waits for an event", () => {
  it("T3 W5 completes with the payload as its output, and its dependents start", async () => {
    const { run_id, event_key, trigger_id, step } = await waiting();
    expect(await triggerNow(trigger_id)).toMatchObject({
      source_type: "workflow_step",
      trigger_type: "event",
      workflow_run_id: run_id,
      workflow_step_run_id: step.id,
      job_run_id: null,
      generation: 1,
      timeout_secs: 60,
    });
    expect(await send(event_key, { paid: 3 })).toMatchObject({ kind: "received", trigger: { id: trigger_id } });
    await world.runUntilIdle();
    const { run, steps } = await bench.read(run_id);
    expect([run.status, steps.wait.status, steps.wait.output]).toEqual(["completed", "completed", { paid: 3 }]);
    expect(bench.endpoint.dispatches.at(-1)?.body).toMatchObject({
      step_ref: "after",
      payload: { got: { paid: 3 } },
      parent_outputs: { wait: { paid: 3 } },
    });
  });

  it("T10 changes together with its trigger or not at all", async () => {
    const { run_id, event_key, trigger_id } = await waiting();
    const gate = await holdGate(world.connection, "select 1 from step_runs where workflow_run_id = $1 for update", [
      run_id,
    ]);
    const sending = expect(send(event_key, 1)).rejects.toThrow(/canceling statement/);
    await giveUpBlocked(world.connection);
    await sending;
    await gate.open();
    expect((await triggerNow(trigger_id))?.status).toBe("waiting");
    await send(event_key, 1);
    const [step] = await runSql(
      world.connection,
      "select status from step_runs where workflow_run_id = $1 and step_ref = 'wait'",
      [run_id],
    );
    expect([(await triggerNow(trigger_id))?.status, step]).toEqual(["received", { status: "completed" }]);
    await world.runUntilIdle();
  });

  it("T5 that is overdue fails with event_timeout and follows its on_failure", async () => {
    const failing = await waiting();
    const going = await waiting({ on_failure: "continue" });
    await world.clock.pass("60s");
    await world.tick("resolve-due-triggers");
    await world.runUntilIdle();
    const error = { code: "event_timeout", message: "No event arrived before the wait timed out." };
    expect(await bench.read(failing.run_id)).toMatchObject({
      run: { status: "failed" },
      steps: { wait: { status: "failed", error }, after: { status: "canceled" } },
    });
    expect((await bench.read(going.run_id)).statuses).toEqual({ wait: "failed", after: "completed" });
    expect(await triggerNow(failing.trigger_id)).toMatchObject({ status: "timed_out", error });
  });

  it("T6 that is canceled fails with event_canceled and follows its on_failure", async () => {
    const { run_id, event_key } = await waiting({ on_failure: "skip_dependents" });
    await cancelTrigger(
      world.ctx,
      { project_id: project.id, event_key, by: { id: null, name: "somebody" }, names: [] },
      async () => {},
    );
    await world.runUntilIdle();
    const { run, steps } = await bench.read(run_id);
    expect([run.status, run.error_count, steps.wait.error.code, steps.after.status]).toEqual([
      "completed",
      1,
      "event_canceled",
      "skipped",
    ]);
  });

  it("T3 receives an event that was buffered for it, and continues at once", async () => {
    const id = newId();
    await send(`order-${id}`, { early: true }, 60);
    const { run, steps } = await bench.run(await bench.save([waitStep(), AFTER]), { payload: { id } });
    expect([run.status, steps.wait.output]).toEqual(["completed", { early: true }]);
    const rows = await runSql(
      world.connection,
      "select status, prev_status, payload from event_triggers where workflow_run_id = $1",
      [run.id],
    );
    expect(rows).toEqual([{ status: "received", prev_status: null, payload: { early: true } }]);
  });

  it("T11 fails with event_key_in_use if a run or another step waits for its key", async () => {
    const id = newId();
    const run = await waitingRun(world, project, { event_key: `order-${id}` });
    const refused = await bench.run(await bench.save([waitStep()]), { payload: { id } });
    expect(refused).toMatchObject({
      run: { status: "failed" },
      steps: { wait: { error: { code: "event_key_in_use" } } },
    });
    const twins = [waitStep({ on_failure: "continue" }), waitStep({ step_ref: "twin", on_failure: "continue" })];
    const both = await bench.run(await bench.save(twins), { payload: { id: newId() } });
    expect(Object.values(both.statuses).toSorted()).toEqual(["failed", "waiting"]);
    expect(run.trigger.status).toBe("waiting");
  });

  it("T3 of a paused workflow receives the event, and starts nothing until it is resumed", async () => {
    const { run_id, event_key, trigger_id } = await waiting();
    await project.api.post(`/v1/workflow-runs/${run_id}/pause`);
    await send(event_key, 1);
    await world.runUntilIdle();
    expect((await triggerNow(trigger_id))?.status).toBe("received");
    expect((await bench.read(run_id)).statuses).toEqual({ wait: "completed", after: "pending" });
    await project.api.post(`/v1/workflow-runs/${run_id}/resume`);
    await world.runUntilIdle();
    expect((await bench.read(run_id)).run.status).toBe("completed");
  });

  it("T7 is resolved by a prefix send like runs", async () => {
    const { run_id, event_key } = await waiting();
    const run = await waitingRun(world, project, { event_key: `${event_key}-run` });
    const sent = await sendPrefix(world.ctx, { project_id: project.id, prefix: event_key, payload: 7, sent_by: "t" });
    expect(sent.triggers.map(({ source_type }) => source_type)).toEqual(["workflow_step", "job_run"]);
    await world.runUntilIdle();
    expect((await bench.read(run_id)).steps.wait.output).toBe(7);
    expect((await project.api.get(`/v1/runs/${run.run_id}`)).body.status).not.toBe("waiting");
  });

  it("R15 has its trigger canceled with the workflow run", async () => {
    const { run_id, event_key, trigger_id } = await waiting();
    await project.api.post(`/v1/workflow-runs/${run_id}/cancel`);
    await world.runUntilIdle();
    expect(await triggerNow(trigger_id)).toMatchObject({ status: "canceled", error: { code: "step_ended" } });
    await expect(send(event_key, 1)).rejects.toMatchObject({ code: "event_trigger_ended" });
  });

  it("T16 sends a notification when the event arrives", async () => {
    const { event_key, trigger_id } = await waiting({ notify_url: "http://127.0.0.1:9999/hook" });
    await send(event_key, 1);
    const rows = await runSql(world.connection, "select url from webhook_deliveries where source_id = $1", [
      trigger_id,
    ]);
    expect(rows).toEqual([{ url: "http://127.0.0.1:9999/hook" }]);
    await whenProgressed(world.ctx);
  });
});

describe("a sleeping step", () => {
  it("T8 W3 has its trigger received when its time has come, and the workflow continues", async () => {
    const steps = [
      { step_ref: "wait", type: "sleep", sleep_duration: "1h30m" },
      { step_ref: "after", depends_on: ["wait"] },
    ];
    const { run } = await bench.run(await bench.save(steps));
    const [trigger] = await runSql<{ id: string; expires_at: Date }>(
      world.connection,
      "select * from event_triggers where workflow_run_id = $1",
      [run.id],
    );
    expect(trigger).toMatchObject({ event_key: `sleep:${trigger?.id}`, trigger_type: "sleep", timeout_secs: 5_400 });
    await world.clock.pass("89m");
    await world.tick("resolve-due-triggers");
    expect((await bench.read(run.id)).statuses.wait).toBe("waiting");
    await world.clock.pass("1m");
    await world.tick("resolve-due-triggers");
    await world.runUntilIdle();
    expect((await bench.read(run.id)).run.status).toBe("completed");
    expect((await triggerNow(trigger?.id ?? ""))?.status).toBe("received");
  });

  it("T6 fails when canceled by its key", async () => {
    const { run } = await bench.run(await bench.save([{ step_ref: "wait", type: "sleep", sleep_duration: "1h" }]));
    const [trigger] = await runSql<{ event_key: string }>(
      world.connection,
      "select event_key from event_triggers where workflow_run_id = $1",
      [run.id],
    );
    await cancelTrigger(
      world.ctx,
      { project_id: project.id, event_key: trigger?.event_key ?? "", by: { id: null, name: "somebody" }, names: [] },
      async () => {},
    );
    await world.runUntilIdle();
    expect(await bench.read(run.id)).toMatchObject({
      run: { status: "failed" },
      steps: { wait: { error: { code: "event_canceled" } } },
    });
  });
});

describe("steps that begin to wait while their events are sent", () => {
  const MANY = rounds(16);

  it("T3 lose no event and receive none twice", async () => {
    const workflow_id = await bench.save([waitStep({ timeout_secs: 3_600 })]);
    const ids = Array.from({ length: MANY }, () => newId());
    const runs = await Promise.all(
      ids.map(async (id, nth) => {
        const both = [
          () => bench.start(workflow_id, { payload: { id } }),
          () => send(`order-${id}`, { nth }, 3_600).then(({ kind }) => kind),
        ];
        const done = await Promise.all((nth % 2 ? both : both.toReversed()).map((act) => act()));
        return nth % 2 ? done[0] : done[1];
      }),
    );
    await whenProgressed(world.ctx);
    const rows = await runSql<{ output: { nth: number } }>(
      world.connection,
      "select output from step_runs where workflow_run_id = any($1) and status = 'completed'",
      [runs],
    );
    expect(new Set(rows.map(({ output }) => output.nth)).size).toBe(MANY);
    expect(await runSql(world.connection, "select 1 from buffered_events where project_id = $1", [project.id])).toEqual(
      [],
    );
  });
});

describe("the counts of the project", () => {
  it("T12 match the rows after all of these", async () => {
    const { counted, present } = await countsOf(world.connection, project.id);
    expect(counted).toEqual(present);
  });

  it("T2 the metric of created triggers includes those of steps and of runs", async () => {
    const metric = await world.ctx.metrics.registry.getSingleMetric("event_triggers_created_total")?.get();
    const [{ steps, runs } = { steps: 0, runs: 0 }] = await runSql<{ steps: number; runs: number }>(
      world.connection,
      `select count(*) filter (where source_type = 'workflow_step')::int as steps,
         count(*) filter (where source_type = 'job_run')::int as runs from event_triggers where project_id = $1`,
      [project.id],
    );
    const of = (source_type: string) =>
      metric?.values.find(({ labels }) => labels.source_type === source_type && labels.project_id === project.id)
        ?.value;
    expect([of("workflow_step"), of("job_run")]).toEqual([steps, runs]);
  });
});
