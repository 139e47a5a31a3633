import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../test/world/until.ts";
import { untilListening } from "../../../test/world/until-listening.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { newId } from "../ids.ts";
import { type FeedKey, openFeed } from "./feed.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  // When an instance begins to listen, every feed reads once: that read is not counted here.
  await untilListening(world.connection, [world]);
});

const project_id = newId();
/** A stub for the table that the feed reads, which records the requested keys. */
let stored = new Map<string, number>();
let reads: string[][] = [];
let failing = false;
let gate: Promise<void> | undefined;
beforeEach(() => {
  stored = new Map();
  reads = [];
  failing = false;
  gate = undefined;
});

async function read(_ctx: unknown, keys: FeedKey[]) {
  reads.push(keys.map(({ id }) => id));
  const found = keys.flatMap(({ id }) => {
    const value = stored.get(id);
    return value === undefined ? [] : [{ project_id, id, version: String(value), value }];
  });
  await gate;
  if (failing) throw new Error("no database");
  return found;
}

function watching(id: string, feed = openFeed({ topic: "test-feed", read })) {
  const received: (number | undefined)[] = [];
  const stop = feed.watch(world.ctx, { project_id, id }, (value) => received.push(value));
  onTestFinished(stop); // it polls every few seconds, also in the following tests
  return { feed, received, stop };
}

const change = (id: string, value: number) => {
  stored.set(id, value);
  world.ctx.wakeup.wake("test-feed", `${project_id}:${id}`);
};
/** Less than the five seconds after which it polls without a wake-up. */
const WAKE_UP_MS = 4_500;
const toReceive = (received: unknown[], times: number) =>
  until(`${times} values`, WAKE_UP_MS, () => received.length >= times);
const eventLoopTurns = async () => {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
};

describe("a feed", () => {
  it("delivers the object, and again after each change, and nothing of others", async () => {
    const [id, other] = [newId(), newId()];
    stored.set(id, 1).set(other, 1);
    const { received } = watching(id);
    await toReceive(received, 1);
    change(id, 2);
    await toReceive(received, 2);
    change(other, 9);
    await eventLoopTurns();
    expect(received).toEqual([1, 2]);
    expect(reads).toEqual([[id], [id]]);
  });

  it("does not deliver an unchanged object", async () => {
    const id = newId();
    stored.set(id, 1);
    const { received } = watching(id);
    await toReceive(received, 1);
    change(id, 1);
    await until("the second read", WAKE_UP_MS, () => reads.length === 2);
    await eventLoopTurns();
    expect(received).toEqual([1]);
  });

  it("delivers undefined when the object no longer exists", async () => {
    const id = newId();
    stored.set(id, 1);
    const { received, feed } = watching(id);
    await toReceive(received, 1);
    stored.delete(id);
    feed.checkAll(world.ctx);
    await toReceive(received, 2);
    expect(received).toEqual([1, undefined]);
  });

  it("reads once for a thousand watchers, and once more for a thousand changes", async () => {
    const feed = openFeed({ topic: "test-feed", read });
    const ids = Array.from({ length: 1_000 }, newId);
    for (const id of ids) stored.set(id, 1);
    const watchers = ids.map((id) => watching(id, feed));
    await Promise.all(watchers.map(({ received }) => toReceive(received, 1)));
    expect(reads.map((keys) => keys.length)).toEqual([1_000]);

    for (const id of ids) change(id, 2);
    await Promise.all(watchers.map(({ received }) => toReceive(received, 2)));
    feed.checkAll(world.ctx);
    await until("the read", WAKE_UP_MS, () => reads.length === 3);
    expect(reads.map((keys) => keys.length)).toEqual([1_000, 1_000, 1_000]);
  });

  it("reads an object once for many watchers", async () => {
    const id = newId();
    stored.set(id, 1);
    const { feed, received } = watching(id);
    const second = watching(id, feed);
    await toReceive(second.received, 1);
    expect([received, second.received, reads]).toEqual([[1], [1], [[id]]]);
  });

  it("misses nothing that changes during a read", async () => {
    const id = newId();
    stored.set(id, 1);
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const { received } = watching(id);
    await until("the read", WAKE_UP_MS, () => reads.length === 1);
    change(id, 2);
    open();
    await toReceive(received, 2);
    expect(received).toEqual([1, 2]);
  });

  it("does not give a watcher the result of a read that began before it subscribed", async () => {
    const id = newId();
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const { feed, received } = watching(id);
    await until("the read", WAKE_UP_MS, () => reads.length === 1);
    stored.set(id, 1);
    const late = watching(id, feed);
    open();
    await toReceive(late.received, 1);
    expect([received[0], late.received]).toEqual([undefined, [1]]);
  });

  it("reads again after a failed read, and when wake-ups may have been lost", async () => {
    const id = newId();
    stored.set(id, 1);
    failing = true;
    const { received, feed } = watching(id);
    await until("the failed read", WAKE_UP_MS, () => reads.length === 1);
    failing = false;
    await eventLoopTurns();
    feed.checkAll(world.ctx);
    await toReceive(received, 1);
    stored.set(id, 2);
    world.ctx.wakeup.wake("test-feed");
    await toReceive(received, 2);
    expect(received).toEqual([1, 2]);
  });

  it("no longer reads objects without watchers", async () => {
    const id = newId();
    stored.set(id, 1);
    const { received, stop, feed } = watching(id);
    await toReceive(received, 1);
    stop();
    stop();
    change(id, 2);
    feed.checkAll(world.ctx);
    await eventLoopTurns();
    expect([received, reads.length]).toEqual([[1], 1]);
  });

  it("continues for the others when one watcher fails", async () => {
    const id = newId();
    stored.set(id, 1);
    const feed = openFeed({ topic: "test-feed", read });
    const stop = feed.watch(world.ctx, { project_id, id }, () => {
      throw new Error("not my day");
    });
    onTestFinished(stop);
    const { received } = watching(id, feed);
    await toReceive(received, 1);
  });

  it("receives changes from another instance", async () => {
    const other = await world.anotherInstance();
    const id = newId();
    stored.set(id, 1);
    const { received } = watching(id);
    await toReceive(received, 1);
    stored.set(id, 2);
    other.ctx.wakeup.wake("test-feed", `${project_id}:${id}`);
    await toReceive(received, 2);
  });
});
