import { beforeAll, describe, expect, it } from "vitest";
import { type SeedTrigger, seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

async function waiting(trigger: SeedTrigger = {}, { id, api } = project) {
  const seeded = await seedTrigger(world.connection, id, trigger);
  const path = `/v1/events/${seeded.event_key}`;
  const callback = new URL((await api.get(path)).body.callback_url).pathname;
  return { ...seeded, path, callback };
}

describe("POST /v1/events/callback/{token}", () => {
  it("T3 accepts an event without a key, and returns nothing about the trigger", async () => {
    const { path, callback, job_run_id } = await waiting();
    const response = await world.anonymous.post(callback, { payload: { approved: true } });
    expect([response.status, response.body]).toEqual([
      200,
      { $schema: `${world.url}/schemas/CallbackReceived.json`, received: true, received_at: expect.any(String) },
    ]);
    expect((await project.api.get(path)).body).toMatchObject({
      status: "received",
      payload: { approved: true },
      sent_by: "callback",
      sent_by_id: null,
      callback_url: null,
    });
    const [run] = await runSql(world.connection, "select status, checkpoint from runs where id = $1", [job_run_id]);
    expect(run).toEqual({ status: "pending", checkpoint: { approved: true } });
  });

  it("T4 accepts one event: the same again is 200, another payload 409", async () => {
    const { callback, path } = await waiting();
    await world.anonymous.post(callback, { payload: { a: 1, b: 2 } });
    expect((await world.anonymous.post(callback, { payload: { b: 2, a: 1 } })).status).toBe(200);
    const refused = await world.anonymous.post(callback, { payload: { a: 2 } });
    expect([refused.status, refused.body.code]).toEqual([409, "event_already_received"]);
    expect((await project.api.get(path)).body.payload).toEqual({ a: 1, b: 2 });
  });

  it("T3 resolves exactly its trigger: after its end it reaches no other wait for the same key", async () => {
    const { event_key, callback, path } = await waiting();
    expect((await project.api.delete(path)).status).toBe(204);
    const later = await waiting({ event_key });
    const refused = await world.anonymous.post(callback, { payload: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, "event_trigger_ended"]);
    expect((await project.api.get(later.path)).body).toMatchObject({ id: later.id, status: "waiting" });
    expect((await world.anonymous.post(later.callback, { payload: 1 })).status).toBe(200);
  });

  it("T3 receives one of many concurrent events", async () => {
    const { callback, path } = await waiting();
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, payload) => world.anonymous.post(callback, { payload })),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect((await project.api.get(path)).body.payload).toBe(responses.findIndex(({ status }) => status === 200));
  });

  it("T3 404 for an unknown token, and for one of another service", async () => {
    const { callback, path } = await waiting();
    const token = callback.split("/").at(-1) as string;
    const changed = `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`;
    for (const bad of [changed, newId(), "x".repeat(86), token.slice(0, 85), `${token}x`, "%F0%9F%98%80".repeat(20)]) {
      const refused = await world.anonymous.post(`/v1/events/callback/${bad}`, { payload: 1 });
      expect([refused.status, refused.body.code], bad).toEqual([404, "not_found"]);
    }
    const otherInstance = await world.anotherInstance({ jwt_signing_keys: ["another-signing-key-0123456789-abcdef"] });
    expect((await otherInstance.anonymous.post(callback, { payload: 1 })).status).toBe(404);
    expect((await project.api.get(path)).body.status).toBe("waiting");
    const other = await world.anotherInstance();
    expect((await other.anonymous.post(callback, { payload: 1 })).status).toBe(200);
  });

  it("T3 404 once its trigger or its project is deleted", async () => {
    const own = await world.project();
    const purged = await waiting({}, own);
    const kept = await waiting({}, own);
    await runSql(world.connection, "delete from event_triggers where id = $1", [purged.id]);
    expect((await world.anonymous.post(purged.callback, { payload: 1 })).status).toBe(404);
    await world.admin.delete(`/v1/projects/${own.id}`);
    expect((await world.anonymous.post(kept.callback, { payload: 1 })).status).toBe(404);
  });

  it("T11 reserves the key `callback`", async () => {
    await waiting({ event_key: "callback" });
    expect((await project.api.post("/v1/events/callback/send", { payload: 1 })).body).toMatchObject({
      event_key: "callback",
      status: "received",
    });
    expect((await project.api.get("/v1/events/callback/stream")).text).toContain('"event_key":"callback"');
  });

  it("T3 422 for an unknown field, before anything is sent", async () => {
    const { callback, path } = await waiting();
    expect((await world.anonymous.post(callback, { payload: 1, event_key: "x" })).status).toBe(422);
    expect((await project.api.get(path)).body.status).toBe("waiting");
  });
});
