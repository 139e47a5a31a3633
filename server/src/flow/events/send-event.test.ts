import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../test/seed/running-run.ts";
import { countsOf, runNow, transitionsOf, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeJob } from "../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { cancelTrigger } from "./cancel-trigger.ts";
import { type SendRequest, sendEvent } from "./send-event.ts";
import { sendToTrigger } from "./send-to-trigger.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const send = (event_key: string, payload: unknown, extra: Partial<SendRequest> = {}) =>
  sendEvent(world.ctx, { project_id: project.id, event_key, payload, sent_by: "test", ...extra });
const refused = (code: string) => expect.objectContaining({ code });

describe("sending an event", () => {
  it("T3 resolves the trigger and queues the run with the payload as checkpoint", async () => {
    const run = await waitingRun(world, project);
    const result = await send(run.event_key, { paid: true });
    expect(result).toMatchObject({
      kind: "received",
      trigger: { id: run.trigger.id, status: "received", payload: { paid: true }, sent_by: "test", error: null },
    });
    expect(await runNow(world.connection, run.run_id)).toMatchObject({
      status: "pending",
      is_queued: true,
      blocked_on: null,
      checkpoint: { paid: true },
      tries_used: 0,
    });
    expect((await transitionsOf(world.connection, run.run_id)).at(-1)).toBe("waiting>pending event_received");
  });

  it("T3 a run of a paused job is blocked, and continues when the job is resumed", async () => {
    const job = await makeJob(project);
    const run = await waitingRun(world, project, {}, { job_id: job.id });
    await project.api.post(`${job.path}/pause`);
    await send(run.event_key, 1);
    expect(await runNow(world.connection, run.run_id)).toMatchObject({
      status: "pending",
      blocked_on: `paused_job:${job.id}`,
    });
    await project.api.post(`${job.path}/resume`);
    expect(await runNow(world.connection, run.run_id)).toMatchObject({ blocked_on: null });
  });

  it("T2 a wait releases the run's slots, and the next run takes them", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const slot = `job:${job.id}`;
    await runSql(world.connection, "insert into concurrency_counters (project_id, key, active) values ($1, $2, 1)", [
      project.id,
      slot,
    ]);
    const run = await runningRun(world, project, { job_id: job.id, slots: [slot] });
    const next = (await project.api.post(`${job.path}/trigger`, {})).body.id;
    await runSql(world.connection, "update run_queue set blocked_on = $2 where run_id = $1", [next, slot]);
    await run.sdk.post("/wait-for-event", { event_key: newId() });
    expect(await runNow(world.connection, next)).toMatchObject({ blocked_on: null });
    expect(await runSql(world.connection, "select active from concurrency_counters where key = $1", [slot])).toEqual([
      { active: 0 },
    ]);
  });

  it("T4 an equal payload sent again returns the same trigger, compared as JSON and not as text", async () => {
    const { event_key, trigger } = await waitingRun(world, project);
    await send(event_key, { a: 1, b: [1.0, "x"] });
    const again = await send(event_key, { b: [1, "x"], a: 1 });
    expect(again).toMatchObject({ kind: "resent", trigger: { id: trigger.id, payload: { a: 1, b: [1, "x"] } } });
  });

  it.each([[null], [{ a: 1 }], ["1"], [[1]], [{}]])("T4 409 for another payload: %j after 1", async (payload) => {
    const { event_key } = await waitingRun(world, project);
    await send(event_key, 1);
    await expect(send(event_key, payload)).rejects.toEqual(refused("event_already_received"));
  });

  it("T4 goes to the waiting trigger if there is one, regardless of ended ones", async () => {
    const first = await waitingRun(world, project);
    await send(first.event_key, 1);
    const second = await waitingRun(world, project, { event_key: first.event_key });
    expect(await send(first.event_key, 1)).toMatchObject({ kind: "received", trigger: { id: second.trigger.id } });
  });

  it("T4 returns the newest if none waits", async () => {
    const first = await waitingRun(world, project);
    const { event_key } = first;
    await send(event_key, "old");
    const second = await waitingRun(world, project, { event_key });
    await send(event_key, "new");
    expect(await send(event_key, "new")).toMatchObject({ kind: "resent", trigger: { id: second.trigger.id } });
    await expect(send(event_key, "old")).rejects.toEqual(refused("event_already_received"));
  });

  it("T6 returns 409 if the newest was canceled", async () => {
    const { event_key } = await waitingRun(world, project);
    await cancelTrigger(
      world.ctx,
      { project_id: project.id, event_key, by: { id: null, name: "test" }, names: [] },
      async () => {},
    );
    await expect(send(event_key, 1)).rejects.toEqual(refused("event_trigger_ended"));
  });

  it("T3 returns 404 for an unknown key, and for another project's", async () => {
    await expect(send(newId(), 1)).rejects.toEqual(refused("not_found"));
    const { event_key } = await waitingRun(world, project);
    const { id: project_id } = await world.project();
    await expect(send(event_key, 1, { project_id })).rejects.toEqual(refused("not_found"));
  });

  it("A2 returns 404 to a sender of another environment, during the wait and after it", async () => {
    const { event_key, run_id } = await waitingRun(world, project);
    const { id: environment_id } = (await project.api.get("/v1/environments/staging")).body;
    await expect(send(event_key, 1, { environment_id })).rejects.toEqual(refused("not_found"));
    expect((await runNow(world.connection, run_id)).status).toBe("waiting");
    await send(event_key, 1);
    await expect(send(event_key, 1, { environment_id })).rejects.toEqual(refused("not_found"));
  });

  it("T3 resumes its run only while the run waits on this trigger", async () => {
    const { event_key, run_id } = await waitingRun(world, project);
    await runSql(world.connection, "update runs set waits = waits + 1 where id = $1", [run_id]);
    await send(event_key, 1);
    expect((await runNow(world.connection, run_id)).status).toBe("waiting");
  });

  it("T3 returns 404 for the key of a sleep: only waits for events can receive one", async () => {
    const run = await runningRun(world, project);
    const { body } = await run.sdk.post("/sleep", { secs: 60 });
    await expect(send(body.event_key, 1)).rejects.toEqual(refused("not_found"));
    expect((await runNow(world.connection, run.run_id)).status).toBe("waiting");
    // Nor does a sleep reserve its key.
    expect((await waitingRun(world, project, { event_key: body.event_key })).trigger.wait_kind).toBe("event");
    expect(await send(body.event_key, 1)).toMatchObject({ kind: "received" });
  });

  it("T16 enqueues the notification in the same transaction, with the trigger as data", async () => {
    const run = await waitingRun(world, project, { notify_url: "http://127.0.0.1:9999/hook" });
    await send(run.event_key, { n: 1 });
    const rows = await runSql<{ body: string }>(
      world.connection,
      "select * from webhook_deliveries where source_id = $1",
      [run.trigger.id],
    );
    expect(rows).toMatchObject([
      {
        event_type: "event_trigger.received",
        url: "http://127.0.0.1:9999/hook",
        status: "pending",
        source_type: "event_trigger",
      },
    ]);
    const { type, data } = JSON.parse(rows[0]?.body ?? "");
    expect([type, data]).toEqual([
      "event_trigger.received",
      {
        ...run.trigger,
        $schema: undefined,
        callback_url: null,
        status: "received",
        payload: { n: 1 },
        request_payload: { n: 1 },
        sent_by: "test",
        received_at: expect.any(String),
        finished_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
  });

  it("T16 sends no notification if the wait times out, is canceled, or has no address", async () => {
    const quiet = await waitingRun(world, project);
    await send(quiet.event_key, 1);
    const canceled = await waitingRun(world, project, { notify_url: "http://127.0.0.1:9999/hook" });
    await project.api.post(`/v1/runs/${canceled.run_id}/cancel`);
    const ids = [quiet.trigger.id, canceled.trigger.id];
    expect(await runSql(world.connection, "select 1 from webhook_deliveries where source_id = any($1)", [ids])).toEqual(
      [],
    );
  });
});

describe("an event for one trigger", () => {
  it("T3 resolves that one and no later one that waits for its key", async () => {
    const first = await waitingRun(world, project);
    const { id: trigger_id } = first.trigger;
    const order = { project_id: project.id, trigger_id, payload: { by: "callback" }, sent_by: "callback" };
    expect(await sendToTrigger(world.ctx, order)).toMatchObject({ status: "received", sent_by: "callback" });
    const second = await waitingRun(world, project, { event_key: first.event_key });
    expect(await sendToTrigger(world.ctx, order)).toMatchObject({ id: trigger_id });
    await expect(sendToTrigger(world.ctx, { ...order, payload: 2 })).rejects.toEqual(refused("event_already_received"));
    expect((await runNow(world.connection, second.run_id)).status).toBe("waiting");
  });

  it("T6 returns 409 if it was canceled, 404 if there is none or it is no wait for an event", async () => {
    const { trigger, run_id } = await waitingRun(world, project);
    await project.api.post(`/v1/runs/${run_id}/cancel`);
    const order = { project_id: project.id, payload: 1, sent_by: "callback" };
    await expect(sendToTrigger(world.ctx, { ...order, trigger_id: trigger.id })).rejects.toEqual(
      refused("event_trigger_ended"),
    );
    const { sdk } = await runningRun(world, project);
    const sleep = await sdk.post("/sleep", { secs: 60 });
    for (const trigger_id of [newId(), sleep.body.id]) {
      await expect(sendToTrigger(world.ctx, { ...order, trigger_id })).rejects.toEqual(refused("not_found"));
    }
  });
});

describe("the metric of received triggers", () => {
  const received = async () => {
    const metric = await world.ctx.metrics.registry.getSingleMetric("event_triggers_received_total")?.get();
    return metric?.values[0]?.value ?? 0;
  };

  it("T3 counts each that an event resolved, however it arrived, and no sleep", async () => {
    const before = await received();
    const run = await waitingRun(world, project);
    await send(run.event_key, 1);
    await send(run.event_key, 1);
    const event_key = newId();
    await send(event_key, 1, { buffer_secs: 60 });
    await waitingRun(world, project, { event_key });
    const sleeper = await runningRun(world, project);
    await sleeper.sdk.post("/sleep", { until: "2020-01-01T00:00:00Z" });
    await world.tick("resolve-due-triggers");
    expect((await runNow(world.connection, sleeper.run_id)).status).toBe("pending");
    expect((await received()) - before).toBe(2);
  });
});

describe("the counts of a project", () => {
  it("T12 match the rows after all of these", async () => {
    const { counted, present } = await countsOf(world.connection, project.id);
    expect(counted).toEqual(present);
  });
});
