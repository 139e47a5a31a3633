import { beforeAll, describe, expect, it } from "vitest";
import { type SeedTrigger, seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const seed = (trigger: SeedTrigger, { id }: TestProject) => seedTrigger(world.connection, id, trigger);
const sendTo = ({ api }: TestProject, prefix: string, body: object, headers: Record<string, string> = {}) =>
  api.post(`/v1/events/prefix/${encodeURIComponent(prefix)}/send`, body, { headers });

async function withKeys(keys: string[]) {
  const project = await world.project();
  for (const event_key of keys) await seed({ event_key }, project);
  return project;
}

async function keysIn({ id }: TestProject, status: string): Promise<string[]> {
  const rows = await runSql<{ event_key: string }>(
    world.connection,
    "select event_key from event_triggers where project_id = $1 and status = $2 order by event_key",
    [id, status],
  );
  return rows.map((row) => row.event_key);
}

describe("POST /v1/events/prefix/{prefix}/send", () => {
  it("T7 resolves every waiting trigger whose key starts with the prefix, and no other", async () => {
    const project = await withKeys(["order-1.paid", "order-1.shipped", "order-10", "order-2.paid"]);
    const sent = await sendTo(project, "order-1.", { payload: { all: true } });
    expect(sent.status).toBe(200);
    expect(sent.body).toMatchObject({
      $schema: `${world.url}/schemas/EventPrefixSent.json`,
      dry_run: false,
      resolved: 2,
    });
    expect(sent.body.triggers).toMatchObject([
      { event_key: "order-1.paid", status: "received", payload: { all: true }, sent_by_id: project.key_id },
      { event_key: "order-1.shipped", status: "received" },
    ]);
    expect(await keysIn(project, "waiting")).toEqual(["order-10", "order-2.paid"]);
  });

  it.each(["%", "_", "a%b", "a_b", "a\\", "ä", "🛰️", "a/b", "\u{10ffff}"])(
    "T7 matches %j literally as a prefix of keys",
    async (prefix) => {
      const keys = [...new Set([`${prefix}1`, `${prefix}2`, prefix, "axb", "a", "b%", "b_", "ZZ", "Ä1"])];
      const project = await withKeys(keys);
      const expected = keys.filter((key) => key.startsWith(prefix)).toSorted();
      expect((await sendTo(project, prefix, { payload: 1 })).body.resolved).toBe(expected.length);
      expect((await keysIn(project, "received")).toSorted()).toEqual(expected);
    },
  );

  it("T7 returns 200 with nothing when none is waiting, and leaves ended triggers and internal waits alone", async () => {
    const project = await world.project();
    await seed({ event_key: "x1", status: "timed_out" }, project);
    const sleep = await seed({ wait_kind: "sleep" }, project);
    const none = await sendTo(project, "x", { payload: 1 });
    expect([none.status, none.body.resolved, none.body.triggers]).toEqual([200, 0, []]);
    expect((await sendTo(project, "sleep:", { payload: 1 })).body.resolved).toBe(0);
    expect((await project.api.get(`/v1/events/${sleep.event_key}`)).body.status).toBe("waiting");
  });

  it("T7 resolves more than one page, and returns the first hundred", async () => {
    const project = await world.project();
    const first = await seed({ event_key: "many-0000" }, project);
    await runSql(
      world.connection,
      `insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
         workflow_run_id, workflow_step_run_id, generation, status, expires_at, requested_at, created_at, updated_at)
       select project_id, gen_random_uuid(), 'many-' || lpad(n::text, 4, '0'), environment_id, 'workflow_step', 'event',
         'event', gen_random_uuid(), gen_random_uuid(), 1, 'waiting', expires_at, clock(), created_at, clock()
       from event_triggers, generate_series(1, 1100) n where id = $1`,
      [first.id],
    );
    const sent = await sendTo(project, "many-", { payload: "x" });
    expect([sent.body.resolved, sent.body.triggers.length]).toEqual([1_101, 100]);
    expect(await keysIn(project, "waiting")).toEqual([]);
  });

  it("T7 with dry_run lists the receivers, and sends nothing", async () => {
    const project = await withKeys(["a1", "a2", "b1"]);
    const preview = await sendTo(project, "a", { payload: 1, dry_run: true });
    expect(preview.body).toMatchObject({
      dry_run: true,
      resolved: 2,
      triggers: [
        { event_key: "a1", status: "waiting" },
        { event_key: "a2", status: "waiting" },
      ],
    });
    expect(await keysIn(project, "waiting")).toEqual(["a1", "a2", "b1"]);
  });

  it("A7 needs events:read for a dry run, which only reads; a send does not", async () => {
    const project = await withKeys(["a1"]);
    const blind = await project.newKey({ scopes: ["events:send"] });
    const send = (dry_run: boolean) => blind.api.post("/v1/events/prefix/a/send", { payload: 1, dry_run });
    const refused = await send(true);
    expect([refused.status, refused.body.code]).toEqual([403, "scope_missing"]);
    expect((await send(false)).body).toMatchObject({ dry_run: false, resolved: 1 });
  });

  it("T7 with an Idempotency-Key does not reach later waits, and 409 for other content", async () => {
    const project = await withKeys(["a1", "a2"]);
    const headers = { "idempotency-key": `once-${newId()}` };
    const first = await sendTo(project, "a", { payload: 1 }, headers);
    await seed({ event_key: "a3" }, project);
    const again = await sendTo(project, "a", { payload: 1 }, headers);
    expect([again.status, again.body.resolved]).toEqual([200, first.body.resolved]);
    expect(again.body.triggers.map((trigger: { event_key: string }) => trigger.event_key)).toEqual(["a1", "a2"]);
    expect(await keysIn(project, "waiting")).toEqual(["a3"]);
    expect((await sendTo(project, "a", { payload: 2 }, headers)).body.code).toBe("idempotency_conflict");
  });

  it("T7 never buffers the event: buffer_secs is rejected", async () => {
    const project = await world.project();
    expect((await sendTo(project, "a", { payload: 1, buffer_secs: 5 })).status).toBe(422);
  });

  it("T11 400 for an empty prefix", async () => {
    const project = await world.project();
    const refused = await project.api.post("/v1/events/prefix//send", { payload: 1 });
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_event_key"]);
  });

  it("A2 stays within the project, and needs events:send", async () => {
    const [own, other] = [await withKeys(["a1"]), await withKeys(["a1"])];
    expect((await sendTo(own, "a", { payload: 1 })).body.resolved).toBe(1);
    expect(await keysIn(other, "waiting")).toEqual(["a1"]);
    const { api } = await own.newKey({ scopes: ["events:write", "events:read"] });
    expect((await api.post("/v1/events/prefix/a/send", { payload: 1 })).body.code).toBe("scope_missing");
  });
});
