import { beforeAll, describe, expect, it } from "vitest";
import { type SeedTrigger, seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
  project = await world.project();
});

const seed = (trigger: SeedTrigger = {}, { id } = project) => seedTrigger(world.connection, id, trigger);
const at = (event_key: string) => `/v1/events/${encodeURIComponent(event_key)}`;
const send = (event_key: string, body: object, headers: Record<string, string> = {}, { api } = project) =>
  api.post(`${at(event_key)}/send`, body, { headers });
const metric = async (name: string) =>
  Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "m").exec((await world.admin.get("/metrics")).text)?.[1] ?? 0);
const runOf = async (id: string | null) =>
  (
    await runSql<{ status: string; checkpoint: unknown }>(
      world.connection,
      "select status, checkpoint from runs where id = $1",
      [id],
    )
  )[0];

describe("POST /v1/events/{eventKey}/send", () => {
  it("T3 returns the received trigger, and requeues the run with the payload as checkpoint", async () => {
    const { id, event_key, job_run_id } = await seed();
    const before = await metric("event_triggers_received_total");
    const sent = await send(event_key, { payload: { paid: true } });
    expect(sent.status).toBe(200);
    expect(sent.body).toMatchObject({
      $schema: `${world.url}/schemas/EventTrigger.json`,
      id,
      status: "received",
      payload: { paid: true },
      request_payload: { paid: true },
      sent_by: "test key",
      callback_url: null,
      received_at: "2030-01-01T00:00:00.000Z",
      finished_at: "2030-01-01T00:00:00.000Z",
    });
    expect((await project.api.get(at(event_key))).body).toEqual(sent.body);
    expect(await runOf(job_run_id)).toEqual({ status: "pending", checkpoint: { paid: true } });
    expect(await metric("event_triggers_received_total")).toBe(before + 1);
  });

  it.each([[null], [0], [""], [false], [[]], ["text"], [1.5], [{}], [{ a: { b: [null, "ä"] } }]])(
    "T3 accepts any JSON as payload: %j",
    async (payload) => {
      const { event_key } = await seed();
      expect((await send(event_key, { payload })).body.payload).toEqual(payload);
      expect((await project.api.get(at(event_key))).body.payload).toEqual(payload);
      expect((await send(event_key, { payload })).status).toBe(200);
    },
  );

  it("T3 sent_by_id distinguishes two keys with the same name", async () => {
    const keys = [await project.newKey({ name: "twin" }), await project.newKey({ name: "twin" })];
    for (const key of keys) {
      const { event_key } = await seed();
      const sent = await send(event_key, { payload: 1 }, {}, { ...project, api: key.api });
      expect(sent.body).toMatchObject({ sent_by: "twin", sent_by_id: key.id });
      expect((await project.api.get(at(event_key))).body).toMatchObject({ sent_by: "twin", sent_by_id: key.id });
    }
  });

  it("T3 delivers null for an event without a payload", async () => {
    const { event_key } = await seed();
    const sent = await project.api.post(`${at(event_key)}/send`);
    expect([sent.status, sent.body.payload]).toEqual([200, null]);
    expect((await send(event_key, { payload: null })).status).toBe(200);
  });

  it("T4 returns 200 with the existing trigger when resent with a payload that is equal as JSON", async () => {
    const { event_key } = await seed();
    const first = await send(event_key, { payload: { a: 1, b: [{ c: 2, d: null }], e: 1.0 } });
    const before = await metric("event_triggers_received_total");
    const again = await send(event_key, { payload: { e: 1, b: [{ d: null, c: 2 }], a: 1 } });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await metric("event_triggers_received_total")).toBe(before);
  });

  it.each([[{ a: 2 }], [{ a: 1, b: null }], [{}], [null], [[{ a: 1 }]], ["1"]])(
    "T4 409 when the key was received with another payload: %j",
    async (payload) => {
      const { event_key } = await seed({ status: "received", payload: { a: 1 } });
      const refused = await send(event_key, { payload });
      expect([refused.status, refused.body.code]).toEqual([409, "event_already_received"]);
      expect((await project.api.get(at(event_key))).body.payload).toEqual({ a: 1 });
    },
  );

  it("T4 goes to the waiting trigger, whatever the key received before", async () => {
    const event_key = `again-${newId()}`;
    await seed({ event_key, status: "received", payload: { a: 1 } });
    const { id } = await seed({ event_key });
    expect((await send(event_key, { payload: { a: 1 } })).body).toMatchObject({ id, status: "received" });
  });

  it("T3 accepts one of many concurrent senders, and the others get a conflict", async () => {
    const { event_key } = await seed();
    const responses = await Promise.all(Array.from({ length: 12 }, (_, n) => send(event_key, { payload: n })));
    const won = responses.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect((await project.api.get(at(event_key))).body.payload).toBe(won[0]?.body.payload);
    for (const { status, body } of responses)
      if (status !== 200) expect([status, body.code]).toEqual([409, "event_already_received"]);
  });

  it("T3 404 for a key without a waiting trigger, or with one only in another project", async () => {
    const other = await world.project();
    const { event_key } = await seed({}, other);
    for (const key of [event_key, newId()]) expect((await send(key, { payload: 1 })).status).toBe(404);
    expect((await other.api.get(at(event_key))).body.status).toBe("waiting");
  });

  it.each(["timed_out", "canceled"] as const)("T3 409 when the newest wait is %s", async (status) => {
    const { event_key } = await seed({ status });
    const refused = await send(event_key, { payload: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, "event_trigger_ended"]);
  });

  it("T3 reaches no sleep, child or approval by its key", async () => {
    for (const wait_kind of ["sleep", "child", "approval"] as const) {
      const { event_key } = await seed({ wait_kind });
      expect((await send(event_key, { payload: 1 })).status).toBe(404);
      expect((await project.api.get(at(event_key))).body.status).toBe("waiting");
    }
  });

  it("T3 buffers the event for the next wait with buffer_secs, whatever ended before", async () => {
    const { event_key } = await seed({ status: "received", payload: 1 });
    const kept = await send(event_key, { payload: { early: true }, buffer_secs: 60 });
    expect(kept.status).toBe(202);
    expect(kept.body).toEqual({
      $schema: `${world.url}/schemas/BufferedEvent.json`,
      buffered: true,
      id: expect.any(String),
      expires_at: "2030-01-01T00:01:00.000Z",
    });
    expect((await send(`new-${newId()}`, { payload: 1, buffer_secs: 604_800 })).status).toBe(202);
  });

  it("T3 does not buffer an event that a wait receives", async () => {
    const { event_key } = await seed();
    expect((await send(event_key, { payload: 1, buffer_secs: 60 })).body.status).toBe("received");
  });

  it("T3 429 with its own code when 100 events are buffered for the key", async () => {
    const event_key = `full-${newId()}`;
    await runSql(
      world.connection,
      `insert into buffered_events (project_id, id, event_key, payload, sent_by, expires_at, created_at)
       select $1, gen_random_uuid(), $2, '1', 'test', clock() + interval '1 hour', clock() from generate_series(1, 100)`,
      [project.id, event_key],
    );
    const refused = await send(event_key, { payload: 1, buffer_secs: 60 });
    expect([refused.status, refused.body.code]).toEqual([429, "event_buffer_full"]);
  });

  it("T3 with an Idempotency-Key returns the same again, and 409 for other content", async () => {
    const { event_key, id } = await seed();
    const headers = { "idempotency-key": "once" };
    const first = await send(event_key, { payload: { a: 1, b: 2 } }, headers);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    const later = await seed({ event_key });
    const again = await send(event_key, { payload: { b: 2, a: 1 } }, headers);
    expect([again.status, again.body.id, again.headers.get("idempotent-replayed")]).toEqual([200, id, "true"]);
    const other = await send(event_key, { payload: { a: 2 } }, headers);
    expect([other.status, other.body.code]).toEqual([409, "idempotency_conflict"]);
    expect((await project.api.get(at(event_key))).body).toMatchObject({ id: later.id, status: "waiting" });
    await world.clock.pass("24h");
    expect((await send(event_key, { payload: { a: 1, b: 2 } }, headers)).body.id).toBe(later.id);
    await world.clock.set("2030-01-01T00:00:00Z");
  });

  it("T3 with an Idempotency-Key buffers an event once", async () => {
    const event_key = `kept-${newId()}`;
    const order = [event_key, { payload: 1, buffer_secs: 60 }, { "idempotency-key": "once" }] as const;
    const [first, again] = [await send(...order), await send(...order)];
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([202, 202, "true"]);
    expect(again.body).toEqual(first.body);
    const kept = await runSql(world.connection, "select 1 from buffered_events where event_key = $1", [event_key]);
    expect(kept).toHaveLength(1);
  });

  it("T3 does not use up the Idempotency-Key of a rejected send", async () => {
    const event_key = `early-${newId()}`;
    const headers = { "idempotency-key": "retry" };
    expect((await send(event_key, { payload: 1 }, headers)).status).toBe(404);
    const { id } = await seed({ event_key });
    expect((await send(event_key, { payload: 1 }, headers)).body).toMatchObject({ id, status: "received" });
  });

  it.each([
    [{ payload: 1, buffer_secs: 0 }, "body.buffer_secs"],
    [{ payload: 1, buffer_secs: 604_801 }, "body.buffer_secs"],
    [{ payload: 1, buffer_secs: 1.5 }, "body.buffer_secs"],
    [{ paylod: 1 }, "body.paylod"],
  ])("T3 422 for %j", async (body, location) => {
    const { event_key } = await seed();
    const refused = await send(event_key, body);
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, location]);
  });

  it("A11 needs events:send and no other scope", async () => {
    const { event_key } = await seed();
    const writer = await project.newKey({ scopes: ["events:read", "events:write"] });
    expect((await send(event_key, { payload: 1 }, {}, writer as never)).body.code).toBe("scope_missing");
    const sender = await project.newKey({ scopes: ["events:send"] });
    expect((await send(event_key, { payload: 1 }, {}, sender as never)).status).toBe(200);
  });

  it("A12 records no audit event: the trigger has its sender", async () => {
    const { id, event_key } = await seed();
    await send(event_key, { payload: 1 });
    expect(await runSql(world.connection, "select 1 from audit_events where resource_id = $1", [id])).toEqual([]);
  });
});
