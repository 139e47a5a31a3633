import { beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { holderOf, runningRun, sdkOf } from "../../../test/seed/running-run.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { countsOf, manyRunning, runNow, transitionsOf, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { holdGate, makeJob, whenBlocked } from "../../../test/world/queue-world.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { cancelRun } from "../runs/stop/cancel-runs.ts";
import { cancelTrigger } from "./cancel-trigger.ts";
import { sendEvent } from "./send-event.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
  project = await world.project();
});

const send = (event_key: string, payload: unknown = 1) =>
  sendEvent(world.ctx, { project_id: project.id, event_key, payload, sent_by: "test" });
const cancelWait = (event_key: string) =>
  cancelTrigger(
    world.ctx,
    { project_id: project.id, event_key, by: { id: null, name: "somebody" }, names: [] },
    async () => {},
  );
const triggerNow = async (id: string) =>
  (
    await runSql<{ status: string; error: object | null }>(
      world.connection,
      "select * from event_triggers where id = $1",
      [id],
    )
  )[0];

describe("pausing a waiting run", () => {
  it("T3 it keeps waiting, is paused with its checkpoint when the event arrives, and continues when resumed", async () => {
    const run = await waitingRun(world, project);
    expect((await project.api.post(`/v1/runs/${run.run_id}/pause`)).body).toMatchObject({
      status: "waiting",
      pause_requested: true,
    });
    await send(run.event_key, { kept: true });
    expect(await runNow(world.connection, run.run_id)).toMatchObject({
      status: "paused",
      pause_requested: false,
      is_queued: false,
      checkpoint: { kept: true },
    });
    expect((await transitionsOf(world.connection, run.run_id)).at(-1)).toBe("waiting>paused paused");
    await project.api.post(`/v1/runs/${run.run_id}/resume`);
    expect(await runNow(world.connection, run.run_id)).toMatchObject({
      status: "pending",
      is_queued: true,
      checkpoint: { kept: true },
    });
  });

  it("T3 resumed before the event arrives, it is queued with the event", async () => {
    const run = await waitingRun(world, project);
    await project.api.post(`/v1/runs/${run.run_id}/pause`);
    expect((await project.api.post(`/v1/runs/${run.run_id}/resume`)).body).toMatchObject({
      status: "waiting",
      pause_requested: false,
    });
    await send(run.event_key);
    expect((await runNow(world.connection, run.run_id)).status).toBe("pending");
  });

  it("T3 the deadline of the wait does not move", async () => {
    const run = await waitingRun(world, project);
    await project.api.post(`/v1/runs/${run.run_id}/pause`);
    expect(
      (
        await runSql<{ expires_at: Date }>(world.connection, "select expires_at from event_triggers where id = $1", [
          run.trigger.id,
        ])
      )[0]?.expires_at.toISOString(),
    ).toBe(run.trigger.expires_at);
  });

  it("T3 a run with a pause request from before its wait is paused when the event arrives", async () => {
    const run = await runningRun(world, project);
    await project.api.post(`/v1/runs/${run.run_id}/pause`);
    const event_key = newId();
    await run.sdk.post("/wait-for-event", { event_key });
    expect(await runNow(world.connection, run.run_id)).toMatchObject({ status: "waiting", pause_requested: true });
    await send(event_key);
    expect((await runNow(world.connection, run.run_id)).status).toBe("paused");
  });

  it("T3 with concurrent pause, resume and event, the event is never lost", async () => {
    for (const [round, run] of (await manyRunning(world, project, sizeOf(6, 40))).entries()) {
      const path = `/v1/runs/${run.run_id}`;
      const event_key = `paused-${run.run_id}`;
      await sdkOf(world, run.run_id, run.token).post("/wait-for-event", { event_key });
      await Promise.all([
        project.api.post(`${path}/pause`),
        send(event_key, round),
        ...(round % 2 ? [project.api.post(`${path}/resume`)] : []),
      ]);
      const now = await runNow(world.connection, run.run_id);
      expect(["pending", "paused"]).toContain(now.status);
      expect([now.checkpoint, now.is_queued]).toEqual([round, now.status === "pending"]);
    }
    expect(await disorder(world.connection)).toEqual([]);
  });
});

describe("canceling a waiting run", () => {
  it("R15 cancels its trigger with it, and frees its key", async () => {
    const run = await waitingRun(world, project);
    expect((await project.api.post(`/v1/runs/${run.run_id}/cancel`, { reason: "enough" })).body.status).toBe(
      "canceled",
    );
    expect(await triggerNow(run.trigger.id)).toMatchObject({
      status: "canceled",
      error: { code: "run_canceled", message: "enough" },
    });
    await expect(send(run.event_key)).rejects.toMatchObject({ code: "event_trigger_ended" });
    expect((await waitingRun(world, project, { event_key: run.event_key })).trigger.status).toBe("waiting");
  });

  it("R15 cancels all its waiting descendants", async () => {
    const parent_run_id = await seedRun(world.connection, project.id);
    const children = [];
    for (let nth = 0; nth < 3; nth++) children.push(await waitingRun(world, project, {}, { parent_run_id }));
    await project.api.post(`/v1/runs/${parent_run_id}/cancel`);
    for (const { run_id, trigger } of children) {
      expect((await runNow(world.connection, run_id)).status).toBe("canceled");
      expect((await triggerNow(trigger.id))?.status).toBe("canceled");
    }
  });

  it("R15 a run that begins to wait while it is being canceled is canceled with its trigger", async () => {
    const run = await runningRun(world, project);
    const event_key = newId();
    // The cancellation has searched for a wait and found none; now it waits for the run's queue row.
    const gate = await holdGate(world.connection, "select 1 from run_queue where run_id = $1 for update", [run.run_id]);
    const waiting = run.sdk.post("/wait-for-event", { event_key });
    await whenBlocked(world.connection, 1);
    const canceling = project.api.post(`/v1/runs/${run.run_id}/cancel`);
    await whenBlocked(world.connection, 2);
    await gate.open();
    expect([(await waiting).status, (await canceling).status]).toEqual([201, 200]);
    expect((await runNow(world.connection, run.run_id)).status).toBe("canceled");
    expect(
      await runSql(world.connection, "select status from event_triggers where event_key = $1", [event_key]),
    ).toEqual([{ status: "canceled" }]);
  });

  it("R15 a run that waits although its trigger is gone can be canceled", async () => {
    const parent_run_id = await seedRun(world.connection, project.id);
    const run = await waitingRun(world, project, {}, { parent_run_id });
    await runSql(world.connection, "delete from event_triggers where id = $1", [run.trigger.id]);
    await runSql(
      world.connection,
      "update event_trigger_counts set active = active - 1, waiting = waiting - 1 where project_id = $1 and shard = (select min(shard) from event_trigger_counts where project_id = $1)",
      [project.id],
    );
    await project.api.post(`/v1/runs/${parent_run_id}/cancel`);
    expect((await runNow(world.connection, run.run_id)).status).toBe("canceled");
  });
});

describe("canceling a wait", () => {
  it("T6 cancels the run, with the reason in its error", async () => {
    const run = await waitingRun(world, project);
    expect(await cancelWait(run.event_key)).toMatchObject({
      id: run.trigger.id,
      status: "canceled",
      error: { code: "event_canceled", message: "The wait of the run was canceled by somebody." },
      received_at: null,
    });
    expect(await runNow(world.connection, run.run_id)).toMatchObject({
      status: "canceled",
      error: { code: "event_canceled" },
      dead_lettered_at: null,
    });
    expect((await transitionsOf(world.connection, run.run_id)).at(-1)).toBe("waiting>canceled event_canceled");
  });

  it("T6 of a sleep, by the key made of its id", async () => {
    const run = await runningRun(world, project);
    const { body } = await run.sdk.post("/sleep", { secs: 60 });
    expect(await cancelWait(body.event_key)).toMatchObject({ id: body.id, status: "canceled" });
    expect((await runNow(world.connection, run.run_id)).status).toBe("canceled");
  });

  it("T6 returns 409 if it has ended, 404 if there is none", async () => {
    const run = await waitingRun(world, project);
    await send(run.event_key);
    await expect(cancelWait(run.event_key)).rejects.toMatchObject({ code: "event_trigger_ended" });
    await expect(cancelWait(newId())).rejects.toMatchObject({ code: "not_found" });
    expect((await runNow(world.connection, run.run_id)).status).toBe("pending");
  });

  it("T6 commits `alongside` together with it", async () => {
    const run = await waitingRun(world, project);
    const order = { project_id: project.id, event_key: run.event_key, by: { id: null, name: "somebody" }, names: [] };
    const failing = cancelTrigger(world.ctx, order, async () => {
      throw new Error("no audit");
    });
    await expect(failing).rejects.toThrow("no audit");
    expect((await runNow(world.connection, run.run_id)).status).toBe("waiting");
    expect((await triggerNow(run.trigger.id))?.status).toBe("waiting");
  });

  it("T6 an ended one cancels nothing, although its run waits again", async () => {
    const run = await waitingRun(world, project);
    const order = {
      project_id: project.id,
      run_id: run.run_id,
      cause: "event_canceled",
      reason: null,
      by: { id: null, name: "x" },
    } as const;
    expect(await cancelRun(world.ctx, { ...order, trigger_id: newId() })).toMatchObject({
      canceled: false,
      status: "waiting",
    });
    expect((await runNow(world.connection, run.run_id)).status).toBe("waiting");
    expect(await cancelRun(world.ctx, { ...order, trigger_id: run.trigger.id })).toMatchObject({ canceled: true });
  });
});

describe("erasing a run's data", () => {
  it("R13 erases the payloads of its waits too", async () => {
    const job = await makeJob(project);
    const run = await waitingRun(world, project, {}, { job_id: job.id });
    await send(run.event_key, { secret: "x" });
    await project.api.post(`/v1/runs/${run.run_id}/cancel`);
    expect((await project.api.delete(`/v1/runs/${run.run_id}/data`)).status).toBe(204);
    const rows = await runSql(world.connection, "select status, payload from event_triggers where job_run_id = $1", [
      run.run_id,
    ]);
    expect(rows).toEqual([{ status: "received", payload: null }]);
    await expect(holderOf(world, run.run_id)).rejects.toThrow();
  });
});

describe("the counts of the project", () => {
  it("T12 match the rows after all of these", async () => {
    const { counted, present } = await countsOf(world.connection, project.id);
    expect(counted).toEqual(present);
  });
});
