import { beforeAll, describe, expect, it } from "vitest";
import { runNow, waitingRun } from "../../../test/seed/waiting-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { type SendRequest, sendEvent } from "../events/send-event.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const send = (event_key: string, payload: unknown, extra: Partial<SendRequest> = {}) =>
  sendEvent(world.ctx, { project_id: project.id, event_key, payload, sent_by: "test", ...extra });
const refused = (code: string) => expect.objectContaining({ code });
const bufferedOf = (event_key: string) =>
  runSql<{ payload: unknown }>(
    world.connection,
    "select payload from buffered_events where event_key = $1 order by created_at",
    [event_key],
  );

describe("a buffered event", () => {
  it("T3 is stored with buffer_secs if there is no wait: first in, first out, one for each wait", async () => {
    const event_key = `fifo-${newId()}`;
    for (const nth of [1, 2, 3]) expect((await send(event_key, nth, { buffer_secs: 60 })).kind).toBe("buffered");
    const got: unknown[] = [];
    for (let nth = 0; nth < 3; nth++) got.push((await waitingRun(world, project, { event_key })).trigger.payload);
    expect(got).toEqual([1, 2, 3]);
    expect((await waitingRun(world, project, { event_key })).trigger.status).toBe("waiting");
  });

  it("T3 keeps its sender", async () => {
    const [event_key, sent_by_id] = [`sender-${newId()}`, newId()];
    await send(event_key, 1, { buffer_secs: 60, sent_by_id });
    expect((await waitingRun(world, project, { event_key })).trigger).toMatchObject({ sent_by: "test", sent_by_id });
  });

  it("T3 keeps its order, however close together and by whichever instance events were sent", async () => {
    const event_key = `order-${newId()}`;
    const other = await world.anotherInstance();
    const order = { project_id: project.id, event_key, sent_by: "test", buffer_secs: 60 };
    for (let nth = 0; nth < 20; nth++) await sendEvent((nth % 2 ? world : other).ctx, { ...order, payload: nth });
    expect((await bufferedOf(event_key)).map(({ payload }) => payload)).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
  });

  it("T3 is buffered regardless of waits that ended before, but not if there is a wait", async () => {
    const { event_key } = await waitingRun(world, project);
    expect((await send(event_key, 1, { buffer_secs: 60 })).kind).toBe("received");
    expect((await send(event_key, 1, { buffer_secs: 60 })).kind).toBe("buffered");
    expect(await bufferedOf(event_key)).toHaveLength(1);
  });

  it("T3 is received only by a wait of its own project", async () => {
    const event_key = `own-${newId()}`;
    await send(event_key, 1, { buffer_secs: 60 });
    expect((await waitingRun(world, await world.project(), { event_key })).trigger.status).toBe("waiting");
    expect(await bufferedOf(event_key)).toHaveLength(1);
  });

  it("T3 expires after the requested time", async () => {
    const own = await makeWorld();
    const { id } = await own.project();
    await own.clock.set("2030-01-01T00:00:00Z");
    const order = { project_id: id, event_key: "k", payload: 1, sent_by: "test", buffer_secs: 60 };
    expect(await sendEvent(own.ctx, order)).toMatchObject({ expires_at: "2030-01-01T00:01:00.000Z" });
    await own.clock.pass("60s");
    expect((await waitingRun(own, { id }, { event_key: "k" })).trigger.status).toBe("waiting");
    await sendEvent(own.ctx, { ...order, event_key: "later" });
    await own.tick("remove-old-rows");
    expect(await runSql(own.connection, "select event_key from buffered_events")).toEqual([{ event_key: "later" }]);
  });

  it("T3 is refused with 429 beyond 100 of a key and 10,000 of a project; expired ones do not count", async () => {
    const { id: project_id } = await world.project();
    const fill = (event_key: string, from: number, to: number, expires: string) =>
      runSql(
        world.connection,
        `insert into buffered_events (project_id, id, event_key, payload, sent_by, expires_at, created_at)
         select $1, gen_random_uuid(), $2 || n / 100, '1', 'seed', clock() + $5::interval, clock()
         from generate_series($3::int, $4::int) n`,
        [project_id, event_key, from, to, expires],
      );
    await fill("full", 0, 98, "1 h");
    await fill("full", 0, 99, "-1 s");
    expect((await send("full0", 1, { project_id, buffer_secs: 60 })).kind).toBe("buffered");
    await expect(send("full0", 1, { project_id, buffer_secs: 60 })).rejects.toEqual(refused("event_buffer_full"));
    await fill("many", 0, 9_898, "1 h");
    const both = await Promise.allSettled([1, 2, 3].map((n) => send(`last${n}`, 1, { project_id, buffer_secs: 60 })));
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
  });
});

describe("an Idempotency-Key on a send", () => {
  it("T4 returns the first trigger although another waits for the key by now", async () => {
    const first = await waitingRun(world, project);
    const { event_key } = first;
    const sent = await send(event_key, 1, { idempotency_key: "k1" });
    const second = await waitingRun(world, project, { event_key });
    const again = await send(event_key, 1, { idempotency_key: "k1" });
    expect([sent.is_replayed, again]).toMatchObject([false, { is_replayed: true, trigger: { id: first.trigger.id } }]);
    expect((await runNow(world.connection, second.run_id)).status).toBe("waiting");
  });

  it("T4 buffers an event once, also when it has been received since", async () => {
    const event_key = `kept-${newId()}`;
    const order = { buffer_secs: 60, idempotency_key: "k2" };
    const first = await send(event_key, 1, order);
    const again = await send(event_key, 1, order);
    expect(again).toEqual({ ...first, is_replayed: true });
    expect(await bufferedOf(event_key)).toHaveLength(1);
    await waitingRun(world, project, { event_key });
    expect(await send(event_key, 1, order)).toEqual({ ...first, is_replayed: true });
    expect(await bufferedOf(event_key)).toHaveLength(0);
  });

  it("T4 returns 409 for other content; it may be used again for another event key", async () => {
    const [one, two] = [await waitingRun(world, project), await waitingRun(world, project)];
    await send(one.event_key, 1, { idempotency_key: "k3" });
    await expect(send(one.event_key, 2, { idempotency_key: "k3" })).rejects.toEqual(refused("idempotency_conflict"));
    expect((await send(two.event_key, 2, { idempotency_key: "k3" })).is_replayed).toBe(false);
  });

  it("T4 is not used up by a refusal", async () => {
    const event_key = `later-${newId()}`;
    await expect(send(event_key, 1, { idempotency_key: "k4" })).rejects.toEqual(refused("not_found"));
    await waitingRun(world, project, { event_key });
    expect(await send(event_key, 1, { idempotency_key: "k4" })).toMatchObject({ kind: "received", is_replayed: false });
  });

  it("T4 makes twenty concurrent sends one", async () => {
    const event_key = `many-${newId()}`;
    const order = { buffer_secs: 60, idempotency_key: "k5" };
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(event_key, 1, order)));
    expect(await bufferedOf(event_key)).toHaveLength(1);
    expect(responses.filter((response) => !response.is_replayed)).toHaveLength(1);
  });
});
