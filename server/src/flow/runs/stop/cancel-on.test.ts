import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { makeJob, makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { runningRun } from "../../../../test/seed/running-run.ts";
import { waitingRun } from "../../../../test/seed/waiting-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
let order: { id: string; slug: string };
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
  order = await makeJob(project, {
    cancel_on: [{ event_key: "order.{{payload.id}}.canceled" }, { event_key: "stop" }],
  });
});

const LATER = { delay_secs: 3_600 };
const trigger = async (fields: object = {}, job = order, { api } = project) => {
  const response = await api.post(`/v1/jobs/${job.id}/trigger`, { ...LATER, ...fields });
  if (response.status !== 201) throw new Error(response.text);
  return response.body.id as string;
};
const send = (key: string, body: object = { payload: 1 }, { api } = project) =>
  api.post(`/v1/events/${encodeURIComponent(key)}/send`, body);
const statusOf = async (id: string) => (await project.api.get(`/v1/runs/${id}`)).body.status;
const workflowStatus = async (id: string) => (await project.api.get(`/v1/workflow-runs/${id}`)).body.status;
const keysOf = async (id: string) =>
  (
    await runSql<{ event_key: string }>(
      world.connection,
      "select event_key from cancel_keys where owner_id = $1 order by 1",
      [id],
    )
  ).map(({ event_key }) => event_key);
const runOutbox = () => world.tick("run-outbox");

describe("cancel_on of a job", () => {
  it("T17 an event with the rendered key cancels the run, and the run's error names the event", async () => {
    const id = newId();
    const [meant, other] = [await trigger({ payload: { id } }), await trigger({ payload: { id: "another" } })];
    const sent = await send(`order.${id}.canceled`);
    expect([sent.status, sent.body]).toMatchObject([
      202,
      { buffered: false, expires_at: null, canceled_runs: 1, canceled_run_ids: [meant], canceled_workflow_run_ids: [] },
    ]);
    await runOutbox();
    expect((await project.api.get(`/v1/runs/${meant}`)).body).toMatchObject({
      status: "canceled",
      error: {
        code: "canceled",
        message: `Canceled by the event order.${id}.canceled, sent by test key.`,
        by_id: project.key_id,
      },
    });
    expect(await statusOf(other)).toBe("pending");
    expect((await send(`order.${id}.canceled`)).status).toBe(404);
  });

  it("T17 an event that cancels no run gets 404 as usual", async () => {
    expect((await send(`order.${newId()}.canceled`)).status).toBe(404);
  });

  it("T17 cancels pending, running, waiting and paused runs, and leaves ended ones", async () => {
    const key = `any-${newId()}`;
    const job = await makeJob(project, { cancel_on: [{ event_key: key }] });
    const add = (run_id: string) =>
      runSql(
        world.connection,
        `insert into cancel_keys select project_id, $2, id, 'run', environment_id, clock(), clock() from runs where id = $1`,
        [run_id, key],
      );
    const running = await runningRun(world, project, { job_id: job.id });
    const waiting = await waitingRun(world, project, {}, { job_id: job.id });
    const [pending, paused, ended] = [await trigger({}, job), await trigger({}, job), await trigger({}, job)];
    await project.api.post(`/v1/runs/${paused}/pause`);
    await project.api.post(`/v1/runs/${ended}/cancel`);
    await Promise.all([running.run_id, waiting.run_id].map(add));
    expect((await send(key)).body.canceled_runs).toBe(4);
    await runOutbox();
    for (const id of [pending, running.run_id, waiting.run_id, paused]) expect(await statusOf(id)).toBe("canceled");
    expect((await project.api.get(`/v1/runs/${ended}`)).body.error.message).toMatch(/^Canceled by test key/);
  });

  it("T17 a wait for the key receives the event as well; a header counts the canceled runs", async () => {
    const id = newId();
    const canceled = await trigger({ payload: { id } });
    const waiting = await waitingRun(world, project, { event_key: `order.${id}.canceled` });
    const sent = await send(`order.${id}.canceled`);
    expect([sent.status, sent.body.status, sent.headers.get("x-canceled-runs")]).toEqual([200, "received", "1"]);
    await runOutbox();
    expect([await statusOf(canceled), await statusOf(waiting.run_id)]).toEqual(["canceled", "pending"]);
  });

  it("T17 with buffer_secs the event cancels and is buffered, too", async () => {
    const id = newId();
    const run = await trigger({ payload: { id } });
    const { body } = await send(`order.${id}.canceled`, { payload: 1, buffer_secs: 60 });
    expect(body).toMatchObject({ buffered: true, canceled_runs: 1, canceled_run_ids: [run] });
  });

  it("T17 a prefix cancels all runs whose key begins with it; a dry run only counts them", async () => {
    const group = newId();
    const ids = [await trigger({ payload: { id: `${group}.1` } }), await trigger({ payload: { id: `${group}.2` } })];
    const other = await trigger({ payload: { id: newId() } });
    const path = `/v1/events/prefix/order.${group}/send`;
    expect((await project.api.post(path, { dry_run: true })).body).toMatchObject({ resolved: 0, canceled_runs: 2 });
    expect(await statusOf(ids[0] ?? "")).toBe("pending");
    expect((await project.api.post(path, {})).body).toMatchObject({ resolved: 0, canceled_runs: 2 });
    await runOutbox();
    expect(await Promise.all(ids.map(statusOf))).toEqual(["canceled", "canceled"]);
    expect(await statusOf(other)).toBe("pending");
  });

  it("T17 an event sent to a callback cancels, too", async () => {
    const id = newId();
    const run = await trigger({ payload: { id } });
    const waiting = await waitingRun(world, project, { event_key: `order.${id}.canceled` });
    const { body } = await project.api.get(`/v1/events/${waiting.event_key}`);
    await world.anonymous.post(new URL(body.callback_url).pathname, { payload: 1 });
    await runOutbox();
    expect(await statusOf(run)).toBe("canceled");
  });

  it("T17 an event emitted by a step cancels, and explain shows it", async () => {
    const id = newId();
    const run = await trigger({ payload: { id } });
    const bench = await workflowBench(world, project);
    const emitter = await bench.save([{ step_ref: "emit", event_emit_key: "order.{{payload.id}}.canceled" }]);
    const { run: emitted } = await bench.run(emitter, { payload: { id } });
    expect(await statusOf(run)).toBe("canceled");
    const [decision] = await runSql<{ reason: string }>(
      world.connection,
      "select reason from workflow_decisions where workflow_run_id = $1 and decision_type = 'emit'",
      [emitted.id],
    );
    expect(decision?.reason).toBe(`sent order.${id}.canceled, but nothing was waiting for it; runs canceled: 1`);
  });

  it("T17 the same request under an Idempotency-Key cancels once", async () => {
    const id = newId();
    await trigger({ payload: { id } });
    const again = { headers: { "idempotency-key": `k-${id}` } };
    const path = `/v1/events/order.${id}.canceled/send`;
    const first = await project.api.post(path, { payload: 1 }, again);
    const later = await trigger({ payload: { id } });
    const second = await project.api.post(path, { payload: 1 }, again);
    expect([first.status, second.status, second.body.id]).toEqual([202, 202, first.body.id]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    await runOutbox();
    expect(await statusOf(later)).toBe("pending");
  });

  it("T17 returns 422 if a key cannot be rendered from the payload", async () => {
    const refused = await project.api.post(`/v1/jobs/${order.id}/trigger`, { payload: {} });
    expect([refused.status, refused.body.code]).toEqual([422, "payload_invalid"]);
    const why = "is invalid: payload.id is missing: payload is an object without id.";
    expect(refused.body).toMatchObject({
      title: "Invalid payload",
      detail: `The event key "order.{{payload.id}}.canceled" of cancel_on ${why}`,
    });
    const long = await project.api.post(`/v1/jobs/${order.id}/trigger`, { payload: { id: "x".repeat(600) } });
    expect([long.status, long.body.detail]).toEqual([422, expect.stringContaining("at most 512 characters")]);
  });

  it("T17 also applies to children, replays, schedules and bulk triggers: every run is created with its keys", async () => {
    const id = newId();
    const parent = await runningRun(world, project);
    const child = (await parent.sdk.post("/spawn", { job_id: order.id, payload: { id }, ...LATER })).body.id;
    const bulk = await project.api.post(`/v1/jobs/${order.id}/trigger/bulk`, {
      items: [{ payload: { id }, ...LATER }],
    });
    const done = await trigger({ payload: { id } });
    await project.api.post(`/v1/runs/${done}/cancel`);
    const replayed = (await project.api.post(`/v1/runs/${done}/replay`, {})).body.id;
    const schedule = await project.api.post("/v1/schedules", { job_id: order.id, cron: "@yearly", payload: { id } });
    const fired = (await project.api.post(`/v1/schedules/${schedule.body.id}/run-now`)).body.id;
    const runs = [child, bulk.body.results[0].run_id, replayed, fired];
    for (const run of runs) expect(await keysOf(run)).toEqual([`order.${id}.canceled`, "stop"]);
    await send(`order.${id}.canceled`);
    await runOutbox();
    expect(await Promise.all(runs.map(statusOf))).toEqual(Array(4).fill("canceled"));
  });

  it("T17 runs of jobs without cancel_on have no keys", async () => {
    const plain = await makeJob(project);
    expect(await keysOf(await trigger({}, plain))).toEqual([]);
  });

  it("T17 a debounced run is canceled by the keys of its newest payload", async () => {
    const job = await makeJob(project, { cancel_on: [{ event_key: "{{payload.key}}" }], debounce_window_secs: 60 });
    const [old, young] = [`old-${newId()}`, `young-${newId()}`];
    const triggerWith = (key: string) => project.api.post(`/v1/jobs/${job.id}/trigger`, { payload: { key } });
    const first = (await triggerWith(old)).body.id;
    expect((await triggerWith(young)).body.id).toBe(first);
    expect(await keysOf(first)).toEqual([young]);
    expect((await send(old)).status).toBe(404);
    expect((await send(young)).body.canceled_run_ids).toEqual([first]);
  });

  it("A2 stays within the project, and a bound key within its environment", async () => {
    const otherProject = await world.project();
    const job = await makeJob(otherProject, { cancel_on: [{ event_key: "shared" }] });
    const foreign = await trigger({}, job, otherProject);
    expect((await send("shared")).status).toBe(404);
    const idOf = async (slug: string) => (await project.api.get(`/v1/environments/${slug}`)).body.id as string;
    const own = await makeJob(project, { cancel_on: [{ event_key: "shared" }] });
    const [staging, production] = [
      await trigger({ environment_id: "staging" }, own),
      await trigger({ environment_id: "production" }, own),
    ];
    const bound = await project.newKey({ environment_id: await idOf("staging") });
    expect((await send("shared", {}, { ...project, api: bound.api })).body.canceled_run_ids).toEqual([staging]);
    await runOutbox();
    expect([await statusOf(staging), await statusOf(production)]).toEqual(["canceled", "pending"]);
    expect((await otherProject.api.get(`/v1/runs/${foreign}`)).body.status).toBe("pending");
  });

  it("T17 an event cancels more runs than one page holds, and none created after it", async () => {
    const key = `many-${newId()}`;
    const job = await makeJob(project, { cancel_on: [{ event_key: key }] });
    const first = await trigger({}, job);
    await runSql(
      world.connection,
      `insert into cancel_keys select project_id, event_key, gen_random_uuid(), 'run', environment_id, created_at, check_at
       from cancel_keys, generate_series(1, 1200) where owner_id = $1`,
      [first],
    );
    expect((await send(key)).status).toBeLessThan(500);
    const later = await trigger({}, job);
    for (let pass = 0; pass < 4; pass++) await runOutbox();
    expect([await statusOf(first), await statusOf(later)]).toEqual(["canceled", "pending"]);
    expect(await runSql(world.connection, "select owner_id from cancel_keys where event_key = $1", [key])).toEqual([
      { owner_id: later },
    ]);
  });

  it("T17 with concurrent senders and triggers, no run that was acknowledged before the event survives it", async () => {
    const key = `race-${newId()}`;
    const job = await makeJob(project, { cancel_on: [{ event_key: key }] });
    const before = await Promise.all(Array.from({ length: 10 }, () => trigger({}, job)));
    await Promise.all([
      ...Array.from({ length: 5 }, () => send(key)),
      ...Array.from({ length: 10 }, () => trigger({}, job)),
    ]);
    await runOutbox();
    expect(await Promise.all(before.map(statusOf))).toEqual(Array(10).fill("canceled"));
  });
});

describe("cancel_on of a workflow", () => {
  it("T17 cancels its run with its steps, and the error names the event", async () => {
    const id = newId();
    const workflow = await makeWorkflow(project, { cancel_on: [{ event_key: "flow.{{payload.id}}" }] });
    const start = (payload: object) => project.api.post(`${workflow.path}/trigger`, { payload });
    const [meant, other] = [(await start({ id })).body.id, (await start({ id: "another" })).body.id];
    const sent = await send(`flow.${id}`);
    expect(sent.body).toMatchObject({ canceled_runs: 1, canceled_workflow_run_ids: [meant] });
    await runOutbox();
    const { body } = await project.api.get(`/v1/workflow-runs/${meant}`);
    expect(body).toMatchObject({
      status: "canceled",
      error: { message: `Canceled by the event flow.${id}, sent by test key.`, by_id: project.key_id },
    });
    expect(await workflowStatus(other)).toBe("running");
    expect((await start({})).body.code).toBe("payload_invalid");
  });
});

describe("sweep-cancel-keys", () => {
  it("T17 removes the keys of ended runs, and checks long runs less and less often", async () => {
    const id = newId();
    const [ended, live] = [await trigger({ payload: { id } }), await trigger({ payload: { id } })];
    await project.api.post(`/v1/runs/${ended}/cancel`);
    await world.clock.set("2032-01-01T00:00:00Z");
    while (await world.tick("sweep-cancel-keys"));
    expect([await keysOf(ended), (await keysOf(live)).length]).toEqual([[], 2]);
    const due = await runSql(world.connection, "select 1 from cancel_keys where check_at <= clock()");
    expect(due).toEqual([]);
  });
});
