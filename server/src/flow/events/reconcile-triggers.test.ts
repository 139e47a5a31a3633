import { beforeAll, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../test/costs/workflow-bench.ts";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { countsOf, runNow, transitionsOf, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { sendEvent } from "./send-event.ts";

let world: World;
let project: TestProject;
let bench: WorkflowBench;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
  bench = await workflowBench(world, project);
});

const repairs = async (kind: string) => {
  const metric = await world.ctx.metrics.registry.getSingleMetric("millrace_repairs_total")?.get();
  return metric?.values.find(({ labels }) => labels.kind === kind)?.value ?? 0;
};

/** Runs one pass after a delay; returns how many repairs of the kind it made. */
async function reconcile(kind: string, after = "31s"): Promise<number> {
  const before = await repairs(kind);
  await world.clock.pass(after);
  await world.tick("reconcile-triggers");
  return (await repairs(kind)) - before;
}

/** Ends a trigger as a broken service would: its run or step is left waiting. */
const endAlone = (id: string, status: string) =>
  runSql(
    world.connection,
    `update event_triggers set prev_status = status, status = $2, finished_at = clock(),
       payload = case when $2 = 'received' then '{"late": true}'::jsonb end,
       error = case when $2 <> 'received' then '{"code": "event_timeout", "message": "Late."}'::jsonb end where id = $1`,
    [id, status],
  );

describe("the task reconcile-triggers", () => {
  it("T9 resumes a run that still waits 30 s after its trigger was received, and not before", async () => {
    const run = await waitingRun(world, project);
    await endAlone(run.trigger.id, "received");
    expect(await reconcile("waits_resumed", "29s")).toBe(0);
    expect((await runNow(world.connection, run.run_id)).status).toBe("waiting");
    expect(await reconcile("waits_resumed", "1s")).toBe(1);
    expect(await runNow(world.connection, run.run_id)).toMatchObject({
      status: "pending",
      is_queued: true,
      checkpoint: { late: true },
    });
    expect((await transitionsOf(world.connection, run.run_id)).at(-1)).toBe("waiting>pending event_received");
    expect(await reconcile("waits_resumed")).toBe(0);
  });

  it("T9 finds one that was received long ago as well", async () => {
    const run = await waitingRun(world, project, { timeout_secs: 604_800 });
    await endAlone(run.trigger.id, "received");
    await world.clock.pass("48h");
    expect(await reconcile("waits_resumed")).toBe(1);
    expect((await runNow(world.connection, run.run_id)).status).toBe("pending");
  });

  it("T9 completes a step that still waits, and the workflow continues", async () => {
    const workflow_id = await bench.save([
      { step_ref: "wait", type: "wait_for_event", event_key: "late-{{payload.id}}" },
      { step_ref: "after", depends_on: ["wait"] },
    ]);
    const { run } = await bench.run(workflow_id, { payload: { id: newId() } });
    const [trigger] = await runSql<{ id: string }>(
      world.connection,
      "select id from event_triggers where workflow_run_id = $1",
      [run.id],
    );
    await endAlone(trigger?.id ?? "", "received");
    expect(await reconcile("waits_resumed")).toBe(1);
    await world.runUntilIdle();
    expect(await bench.read(run.id)).toMatchObject({
      run: { status: "completed" },
      steps: { wait: { output: { late: true } } },
    });
  });

  it("T9 ends runs and steps that still wait on a trigger that timed out or was canceled", async () => {
    const [late, canceled] = [await waitingRun(world, project), await waitingRun(world, project)];
    await endAlone(late.trigger.id, "timed_out");
    await endAlone(canceled.trigger.id, "canceled");
    const workflow_id = await bench.save([
      { step_ref: "wait", type: "wait_for_event", event_key: "never-{{payload.id}}" },
    ]);
    const { run } = await bench.run(workflow_id, { payload: { id: newId() } });
    const [trigger] = await runSql<{ id: string }>(
      world.connection,
      "select id from event_triggers where workflow_run_id = $1",
      [run.id],
    );
    await endAlone(trigger?.id ?? "", "timed_out");
    expect(await reconcile("waits_ended")).toBe(3);
    expect(await runNow(world.connection, late.run_id)).toMatchObject({
      status: "timed_out",
      error: { message: "Late." },
    });
    expect(await runNow(world.connection, canceled.run_id)).toMatchObject({
      status: "canceled",
      error: { code: "event_canceled" },
    });
    await world.runUntilIdle();
    expect((await bench.read(run.id)).steps.wait).toMatchObject({ status: "failed", error: { code: "event_timeout" } });
  });

  it("T9 dispatches a run again whose trigger is missing, and fails such a step", async () => {
    const run = await waitingRun(world, project);
    const workflow_id = await bench.save([
      { step_ref: "wait", type: "wait_for_event", event_key: "lost-{{payload.id}}" },
    ]);
    const lost = await bench.run(workflow_id, { payload: { id: newId() } });
    await runSql(world.connection, "delete from event_triggers where id = $1 or workflow_run_id = $2", [
      run.trigger.id,
      lost.run.id,
    ]);
    expect(await reconcile("waits_stranded")).toBe(2);
    expect(await runNow(world.connection, run.run_id)).toMatchObject({ status: "pending", is_queued: true });
    await world.runUntilIdle();
    expect((await bench.read(lost.run.id)).steps.wait.error.code).toBe("event_trigger_lost");
  });

  it("T9 finds runs that lost their trigger or their place in the queue long ago, too", async () => {
    const waiting = await waitingRun(world, project);
    const pending = await waitingRun(world, project);
    await endAlone(pending.trigger.id, "received");
    expect(await reconcile("waits_resumed")).toBe(1);
    while (await world.tick("sum-changes"));
    await world.clock.pass("2h");
    await runSql(world.connection, "delete from event_triggers where id = $1", [waiting.trigger.id]);
    await runSql(world.connection, "delete from run_queue where run_id = $1", [pending.run_id]);
    expect(await reconcile("queued")).toBe(1);
    for (const { run_id } of [waiting, pending])
      expect(await runNow(world.connection, run_id)).toMatchObject({ status: "pending", is_queued: true });
    expect(await reconcile("queued")).toBe(0);
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("T9 finds a step that lost its trigger long ago, too", async () => {
    const steps = [{ step_ref: "wait", type: "wait_for_event", event_key: "old-{{payload.id}}" }];
    const { run } = await bench.run(await bench.save(steps), { payload: { id: newId() } });
    await world.clock.pass("2h");
    await runSql(world.connection, "delete from event_triggers where workflow_run_id = $1", [run.id]);
    expect(await reconcile("waits_stranded")).toBe(1);
    await world.runUntilIdle();
    expect((await bench.read(run.id)).steps.wait.error.code).toBe("event_trigger_lost");
    expect(await reconcile("waits_stranded")).toBe(0);
  });

  it("T9 leaves a consistent state alone", async () => {
    const runs = [await waitingRun(world, project), await waitingRun(world, project)];
    await sendEvent(world.ctx, {
      project_id: project.id,
      event_key: runs[0]?.event_key ?? "",
      payload: 1,
      sent_by: "t",
    });
    const sleeper = await runningRun(world, project);
    await sleeper.sdk.post("/sleep", { secs: 600 });
    for (const kind of ["waits_resumed", "waits_ended", "waits_stranded"]) expect(await reconcile(kind)).toBe(0);
    const now = await Promise.all([...runs, sleeper].map(({ run_id }) => runNow(world.connection, run_id)));
    expect(now.map(({ status }) => status)).toEqual(["pending", "waiting", "waiting"]);
  });

  it("T5 is the fallback of the timer", async () => {
    const run = await waitingRun(world, project, { timeout_secs: 1 });
    await reconcile("waits_ended", "1s");
    expect((await runNow(world.connection, run.run_id)).status).toBe("timed_out");
  });

  it("T12 corrects counts that have drifted, for each status, and counts the repair", async () => {
    await reconcile("triggers_recounted", "1s");
    const other = await world.project();
    await waitingRun(world, other);
    await runSql(
      world.connection,
      "update event_trigger_counts set active = active + 5, waiting = waiting - 3, received = 9, timed_out = 2, canceled = 4 where project_id = $1",
      [other.id],
    );
    const unseen = await world.project();
    const { trigger } = await waitingRun(world, unseen);
    await endAlone(trigger.id, "received");
    await runSql(world.connection, "delete from event_trigger_counts where project_id = $1", [unseen.id]);
    expect(await reconcile("triggers_recounted", "1s")).toBe(2);
    for (const { id } of [other, unseen, project]) {
      const { counted, present } = await countsOf(world.connection, id);
      expect(counted).toEqual(present);
    }
    expect(await reconcile("triggers_recounted", "1s")).toBe(0);
  });

  it("T9 leaves every run consistent", async () => {
    expect(await disorder(world.connection)).toEqual([]);
  });
});
