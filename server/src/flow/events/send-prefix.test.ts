import { beforeAll, describe, expect, it } from "vitest";
import { seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { countsOf, manyRunning, runNow, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { giveUpBlocked, holdGate, whenBlocked } from "../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { sendEvent } from "./send-event.ts";
import { type PrefixSendRequest, previewPrefix, sendPrefix } from "./send-prefix.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const requestOf = (prefix: string, extra: Partial<PrefixSendRequest> = {}): PrefixSendRequest => ({
  ...{ project_id: project.id, prefix, payload: { all: true }, sent_by: "test" },
  ...extra,
});
const send = (prefix: string, extra: Partial<PrefixSendRequest> = {}) =>
  sendPrefix(world.ctx, requestOf(prefix, extra));
const keysOf = ({ triggers }: { triggers: { event_key: string }[] }) => triggers.map((trigger) => trigger.event_key);

/** Waits of one project, inserted into the tables: `<prefix>00001` and on. */
async function manyWaiting(project_id: string, prefix: string, count: number, at = world): Promise<void> {
  const runs = await manyRunning(at, { id: project_id }, count);
  await runSql(
    at.connection,
    `with given as (select run_id, n from unnest($2::uuid[]) with ordinality as g(run_id, n)),
     out as (delete from run_queue using given g where run_queue.run_id = g.run_id),
     moved as (update runs r set prev_status = 'running', status = 'waiting', waits = 1 from given g where r.id = g.run_id),
     created as (
       insert into event_triggers (project_id, id, event_key, environment_id, source_type, trigger_type, wait_kind,
         job_run_id, ordinal, status, timeout_secs, expires_at, requested_at, created_at, updated_at)
       select $1, gen_random_uuid(), $3 || lpad(g.n::text, 5, '0'), e.id, 'job_run', 'event', 'event', g.run_id, 1, 'waiting',
         3600, clock() + interval '1 h', clock(), clock(), clock()
       from given g, environments e where e.project_id = $1 and e.slug = 'production'
     )
     insert into event_trigger_counts as c (project_id, shard, active, waiting) values ($1, 0, $4::int, $4::int)
     on conflict (project_id, shard) do update set active = c.active + excluded.active, waiting = c.waiting + excluded.waiting`,
    [project_id, runs.map((run) => run.run_id), prefix, count],
  );
}

describe("sending to a prefix", () => {
  it("T7 resolves every waiting trigger whose key starts with it, and no other", async () => {
    const at = newId();
    const keys = [`${at}`, `${at}-a`, `${at}-b`, `${at}🏁`, `${at.slice(0, -1)}`, `x${at}`];
    const runs = [];
    for (const event_key of keys) runs.push(await waitingRun(world, project, { event_key }));
    const sent = await send(at);
    expect([sent.resolved, keysOf(sent)]).toEqual([4, keys.slice(0, 4)]);
    expect(sent.triggers[0]).toMatchObject({ status: "received", payload: { all: true }, sent_by: "test" });
    const now = await Promise.all(runs.map(({ run_id }) => runNow(world.connection, run_id)));
    expect(now.map(({ status }) => status)).toEqual(["pending", "pending", "pending", "pending", "waiting", "waiting"]);
    expect(now[0]?.checkpoint).toEqual({ all: true });
  });

  it.each([
    ["50%-", "50%-off", "50x-off"],
    ["a_b", "a_b1", "axb1"],
    ["\\", "\\x", "x\\"],
    ["*", "*x", "x*"],
  ])("T7 takes %j literally", async (prefix, meant, other) => {
    const { id } = await world.project();
    for (const event_key of [meant, other]) await waitingRun(world, { id }, { event_key });
    expect(keysOf(await send(prefix, { project_id: id }))).toEqual([meant]);
  });

  it("T7 returns 200 with nothing resolved if nothing waits, and ignores ended waits, sleeps and other projects", async () => {
    const prefix = newId();
    const done = await waitingRun(world, project, { event_key: `${prefix}-1` });
    await sendEvent(world.ctx, { project_id: project.id, event_key: done.event_key, payload: 1, sent_by: "t" });
    await waitingRun(world, await world.project(), { event_key: `${prefix}-2` });
    await seedTrigger(world.connection, project.id, { event_key: `${prefix}-3`, wait_kind: "sleep" });
    expect(await send(prefix)).toEqual({ resolved: 0, canceled: 0, triggers: [], is_replayed: false });
  });

  it("T7 neither buffers an event nor takes a buffered one", async () => {
    const prefix = newId();
    const request = { project_id: project.id, event_key: `${prefix}-k`, payload: 1, sent_by: "t", buffer_secs: 60 };
    await sendEvent(world.ctx, request);
    expect((await send(prefix)).resolved).toBe(0);
    const kept = await runSql(
      world.connection,
      "select payload from buffered_events where starts_with(event_key, $1)",
      [prefix],
    );
    expect(kept).toEqual([{ payload: 1 }]);
  });

  it("T7 reaches only waits that existed when the call began, on the last page too", async () => {
    const own = await makeWorld();
    await own.clock.set("2030-01-01T00:00:00Z");
    const { id } = await own.project();
    await manyWaiting(id, "p-", 501, own);
    const gate = await holdGate(
      own.connection,
      "select 1 from event_triggers where project_id = $1 and event_key = 'p-00001' for update",
      [id],
    );
    const sending = sendPrefix(own.ctx, requestOf("p-", { project_id: id }));
    await whenBlocked(own.connection);
    await own.clock.pass("1s");
    const late = await waitingRun(own, { id }, { event_key: "p-late" });
    await gate.open();
    expect((await sending).resolved).toBe(501);
    expect((await runNow(own.connection, late.run_id)).status).toBe("waiting");
  });

  it("T7 works in pages: all are resolved, the first hundred by key are returned, the counts are updated", async () => {
    const { id } = await world.project();
    await manyWaiting(id, "page-", 603);
    await manyWaiting(id, "other-", 3);
    const sent = await send("page-", { project_id: id });
    expect([sent.resolved, sent.triggers.length]).toEqual([603, 100]);
    expect(keysOf(sent)).toEqual(Array.from({ length: 100 }, (_, nth) => `page-${String(nth + 1).padStart(5, "0")}`));
    const { counted, present } = await countsOf(world.connection, id);
    expect(counted).toEqual({ active: 3, waiting: 3, received: 603, timed_out: 0, canceled: 0 });
    expect(counted).toEqual(present);
    const rows = await runSql(
      world.connection,
      "select count(*)::int as queued from run_queue where project_id = $1 and blocked_on is null",
      [id],
    );
    expect(rows).toEqual([{ queued: 603 }]);
  });

  it("T7 a dry run lists the receivers, and changes nothing", async () => {
    const { id } = await world.project();
    await manyWaiting(id, "dry-", 130);
    const seen = await previewPrefix(world.ctx, requestOf("dry-", { project_id: id }));
    expect([seen.resolved, seen.triggers.length, seen.triggers[0]]).toMatchObject([
      130,
      100,
      { event_key: "dry-00001", status: "waiting" },
    ]);
    expect((await countsOf(world.connection, id)).counted.waiting).toBe(130);
  });
});

describe("an Idempotency-Key on a prefix send", () => {
  it("T7 a repeated request resolves nothing new and returns the same result", async () => {
    const prefix = newId();
    await waitingRun(world, project, { event_key: `${prefix}-1` });
    const first = await send(prefix, { idempotency_key: "p1" });
    await waitingRun(world, project, { event_key: `${prefix}-2` });
    const again = await send(prefix, { idempotency_key: "p1" });
    expect([first.is_replayed, again.is_replayed]).toEqual([false, true]);
    expect([first.resolved, again.resolved, keysOf(again)]).toEqual([1, 1, [`${prefix}-1`]]);
    await expect(send(prefix, { idempotency_key: "p1", payload: 2 })).rejects.toMatchObject({
      code: "idempotency_conflict",
    });
  });

  it("T7 a repeated request finishes what a crash interrupted, and counts all of it", async () => {
    const { id } = await world.project();
    await manyWaiting(id, "cut-", 600);
    const request = requestOf("cut-", { project_id: id, idempotency_key: "p2" });
    // The second page meets a lock that is not released: the call ends in the middle.
    const gate = await holdGate(
      world.connection,
      "select 1 from event_triggers where project_id = $1 and event_key = 'cut-00600' for update",
      [id],
    );
    const sending = expect(sendPrefix(world.ctx, request)).rejects.toThrow(/canceling statement/);
    await giveUpBlocked(world.connection);
    await sending;
    await gate.open();
    expect((await countsOf(world.connection, id)).counted.received).toBe(500);
    expect(await sendPrefix(world.ctx, request)).toMatchObject({ resolved: 600, is_replayed: true });
  });
});
