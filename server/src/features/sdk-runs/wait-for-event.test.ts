import { beforeAll, describe, expect, it } from "vitest";
import { holderOf, runningRun } from "../../../test/seed/running-run.ts";
import { countsOf, runNow, transitionsOf, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { sendEvent } from "../../flow/events/send-event.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const send = (event_key: string, payload: unknown, buffer_secs?: number) =>
  sendEvent(world.ctx, { project_id: project.id, event_key, payload, sent_by: "test", buffer_secs });

describe("POST /sdk/v1/runs/{runID}/wait-for-event", () => {
  it("T18 201 with the trigger, which waits for an hour by default", async () => {
    const run = await runningRun(world, project);
    const event_key = `order-${newId()}`;
    const { status, body } = await run.sdk.post("/wait-for-event", { event_key });
    expect([status, body]).toEqual([
      201,
      {
        $schema: `${world.url}/schemas/EventTrigger.json`,
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        event_key,
        project_id: project.id,
        environment_id: expect.any(String),
        source_type: "job_run",
        trigger_type: "event",
        wait_kind: "event",
        workflow_run_id: null,
        workflow_step_run_id: null,
        job_run_id: run.run_id,
        status: "waiting",
        timeout_secs: 3_600,
        payload: null,
        request_payload: null,
        error: null,
        message: null,
        notify_url: null,
        sent_by: null,
        sent_by_id: null,
        callback_url: expect.stringContaining(`${world.url}/v1/events/callback/`),
        expires_at: expect.any(String),
        requested_at: expect.any(String),
        received_at: null,
        finished_at: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect(Date.parse(body.expires_at) - Date.parse(body.requested_at)).toBe(3_600_000);
  });

  it("T2 the run waits without a lease, a queue row or a slot", async () => {
    const run = await waitingRun(world, project);
    expect(await runNow(world.connection, run.run_id)).toMatchObject({ status: "waiting", is_queued: false, waits: 1 });
    expect(await transitionsOf(world.connection, run.run_id)).toEqual([
      ">pending created",
      "pending>running claimed",
      "running>waiting waiting",
    ]);
    expect(await countsOf(world.connection, project.id)).toMatchObject({ counted: { active: expect.any(Number) } });
  });

  it("T18 accepts timeouts from one second to a year, 604800 included", async () => {
    for (const timeout_secs of [604_800, 31_536_000]) {
      const { trigger } = await waitingRun(world, project, { timeout_secs });
      expect(Date.parse(trigger.expires_at) - Date.parse(trigger.requested_at)).toBe(timeout_secs * 1_000);
    }
    const run = await runningRun(world, project);
    for (const timeout_secs of [0, -1, 1.5, 31_536_001, "60"]) {
      const refused = await run.sdk.post("/wait-for-event", { event_key: newId(), timeout_secs });
      expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.timeout_secs"]);
    }
    expect((await runNow(world.connection, run.run_id)).status).toBe("running");
  });

  it.each(["", "a".repeat(513), "a\nb", "a\u001fb", ".", ".."])("T11 400 for the key %j", async (event_key) => {
    const run = await runningRun(world, project);
    const { status, body } = await run.sdk.post("/wait-for-event", { event_key });
    expect([status, body.code, body.errors[0].location]).toEqual([400, "invalid_event_key", "body.event_key"]);
    expect((await runNow(world.connection, run.run_id)).status).toBe("running");
  });

  it("T11 a key may have 512 characters outside the basic multilingual plane", async () => {
    const event_key = `${newId()}${"🏁".repeat(512 - 36)}`;
    expect((await waitingRun(world, project, { event_key })).trigger.event_key).toBe(event_key);
    expect((await send(event_key, 1)).kind).toBe("received");
  });

  it("T16 rejects a notify_url with a forbidden address", async () => {
    const run = await runningRun(world, project);
    const refused = await run.sdk.post("/wait-for-event", { event_key: newId(), notify_url: "ftp://example.com/" });
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.notify_url"]);
  });

  it("T11 returns the existing trigger with 200 if the same attempt repeats the request", async () => {
    const run = await waitingRun(world, project);
    const again = await run.sdk.post("/wait-for-event", { event_key: run.event_key, timeout_secs: 5 });
    expect([again.status, again.body]).toEqual([200, run.trigger]);
    expect((await runNow(world.connection, run.run_id)).waits).toBe(1);
  });

  it("T11 409 event_key_in_use for another run, which continues running", async () => {
    const { event_key } = await waitingRun(world, project);
    const other = await runningRun(world, project);
    const refused = await other.sdk.post("/wait-for-event", { event_key });
    expect([refused.status, refused.body.code]).toEqual([409, "event_key_in_use"]);
    expect((await runNow(world.connection, other.run_id)).status).toBe("running");
    expect((await other.sdk.post("/heartbeat")).status).toBe(200);
  });

  it("T11 the same key can wait in another project at the same time", async () => {
    const { event_key } = await waitingRun(world, project);
    const other = await world.project();
    expect((await waitingRun(world, other, { event_key })).trigger.status).toBe("waiting");
  });

  it("T11 a key can be reused after its wait has ended", async () => {
    const { event_key } = await waitingRun(world, project);
    await send(event_key, 1);
    expect((await waitingRun(world, project, { event_key })).trigger.status).toBe("waiting");
  });

  it("T3 a waiting attempt cannot write anymore", async () => {
    const run = await waitingRun(world, project);
    for (const [path, body] of [
      ["/log", { message: "x" }],
      ["/checkpoint", { state: 1 }],
      ["/complete", {}],
      ["/wait-for-event", { event_key: newId() }],
      ["/sleep", { secs: 5 }],
    ] as const) {
      const { status, body: response } = await run.sdk.post(path, body);
      expect([path, status, response.code]).toEqual([path, 409, "stale_attempt"]);
    }
  });

  it("T3 a resumed run can wait again, with the next ordinal", async () => {
    const run = await waitingRun(world, project);
    await send(run.event_key, 1);
    await runSql(
      world.connection,
      `update runs set prev_status = status, status = 'running', transition_count = transition_count + 1, attempt = attempt + 1 where id = $1`,
      [run.run_id],
    );
    await runSql(
      world.connection,
      `update run_queue set lease_until = clock() + interval '30 s', lease_token = $2, deadline = clock() + interval '1 h'
       where run_id = $1`,
      [run.run_id, newId()],
    );
    const { sdk } = await holderOf(world, run.run_id);
    expect((await sdk.post("/wait-for-event", { event_key: `second-${newId()}` })).status).toBe(201);
    const rows = await runSql(
      world.connection,
      "select ordinal, status from event_triggers where job_run_id = $1 order by ordinal",
      [run.run_id],
    );
    expect(rows).toEqual([
      { ordinal: 1, status: "received" },
      { ordinal: 2, status: "waiting" },
    ]);
  });
});

describe("an event that is stored for the key", () => {
  it("T3 is consumed at once: the trigger is created as received, and the run goes straight back into the queue", async () => {
    const event_key = `early-${newId()}`;
    expect((await send(event_key, { early: true }, 60)).kind).toBe("buffered");
    const run = await runningRun(world, project);
    const { status, body } = await run.sdk.post("/wait-for-event", { event_key });
    expect([status, body.status, body.payload, body.sent_by]).toEqual([201, "received", { early: true }, "test"]);
    expect(body.callback_url).toBeNull();
    expect(await runNow(world.connection, run.run_id)).toMatchObject({
      status: "pending",
      is_queued: true,
      checkpoint: { early: true },
      tries_used: 0,
    });
    expect((await transitionsOf(world.connection, run.run_id)).at(-1)).toBe("waiting>pending event_received");
    expect(await runSql(world.connection, "select 1 from buffered_events where event_key = $1", [event_key])).toEqual(
      [],
    );
  });

  it("T3 stays if the wait is rejected", async () => {
    const event_key = `early-${newId()}`;
    await send(event_key, 1, 60);
    const run = await runningRun(world, project);
    await runSql(world.connection, "update run_queue set lease_token = $2 where run_id = $1", [run.run_id, newId()]);
    expect((await run.sdk.post("/wait-for-event", { event_key })).body.code).toBe("stale_attempt");
    expect(
      await runSql(world.connection, "select 1 from buffered_events where event_key = $1", [event_key]),
    ).toHaveLength(1);
  });
});
