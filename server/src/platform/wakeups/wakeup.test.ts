import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { LISTENERS, untilListening } from "../../../test/world/until-listening.ts";
import { type Instance, makeWorld, type World } from "../../../test/world/world.ts";

let world: World;
let other: Instance;
beforeAll(async () => {
  world = await makeWorld();
  other = await world.anotherInstance();
  await untilListening(world.connection, [world, other]);
});

/** How many sessions listen for wake-ups. */
function listeners(): Promise<number> {
  return listenersOf(world);
}

async function listenersOf({ connection }: World): Promise<number> {
  return (await runSql(connection, LISTENERS)).length;
}

function count(instance: Instance, topic: string) {
  const received = { times: 0, stop: instance.ctx.wakeup.onWake(topic, () => received.times++) };
  return received;
}

describe("wake-ups", () => {
  it("reach every instance, the sender included", async () => {
    const [here, there] = [count(world, "both"), count(other, "both")];
    world.ctx.wakeup.wake("both");
    await until("there.times to be 1", 20_000, () => there.times === 1);
    expect(here.times).toBeGreaterThanOrEqual(1);
  });

  it("carry their detail, at once on this instance and once on the others", async () => {
    const [here, there]: [unknown[], unknown[]] = [[], []];
    world.ctx.wakeup.onWake("place", (detail) => here.push(detail));
    other.ctx.wakeup.onWake("place", (detail) => there.push(detail));
    world.ctx.wakeup.wake("place", "a b");
    world.ctx.wakeup.wake("place", "c");
    expect(here).toEqual(["a b", "c"]);
    await until("there to equal ['a b', 'c']", 20_000, () => isDeepStrictEqual(there, ["a b", "c"]));
    expect(here).toEqual(["a b", "c"]);
  });

  it("of one topic are not received under another, nor after unsubscribing", async () => {
    const [wanted, unwanted, forgotten] = [count(other, "a"), count(other, "b"), count(other, "a")];
    forgotten.stop();
    world.ctx.wakeup.wake("a");
    await until("wanted.times to be 1", 20_000, () => wanted.times === 1);
    expect([unwanted.times, forgotten.times]).toEqual([0, 0]);
  });

  it("that come in a burst are sent as one", async () => {
    const received = count(other, "burst");
    for (let index = 0; index < 1_000; index++) world.ctx.wakeup.wake("burst");
    await until("heard.times to be 1", 20_000, () => received.times === 1);
    const last = count(other, "last");
    world.ctx.wakeup.wake("last");
    await until("last.times to be 1", 20_000, () => last.times === 1);
    expect(received.times).toBe(1);
  });

  it("of more topics than fit into one message all arrive", async () => {
    const topics = Array.from({ length: 400 }, (_, index) => `${"t".repeat(60)}-é-${index}`);
    const received = topics.map((topic) => count(other, topic));
    for (const topic of topics) world.ctx.wakeup.wake(topic);
    await until("all of them", 20_000, () => received.every(({ times }) => times === 1));
  });

  it("work again after the listening session was terminated, and every listener is woken once for missed ones", async () => {
    const [mine, another] = [count(other, "missed"), count(other, "missed-too")];
    await runSql(
      world.connection,
      "select pg_terminate_backend(pid, 2000) from pg_stat_activity where datname = current_database() and application_name like 'millrace listen%'",
    );
    await until("both to listen again", 20_000, async () => (await listeners()) === 2);
    await until("[mine.times, another.times] to equal [1, 1]", 20_000, () =>
      isDeepStrictEqual([mine.times, another.times], [1, 1]),
    );
    world.ctx.wakeup.wake("missed");
    await until("mine.times to be 2", 20_000, () => mine.times === 2);
    expect(another.times).toBe(1);
  });

  it("are not sent while no other instance listens, and are again as soon as one does", async () => {
    const alone = await makeWorld();
    const said = vi.spyOn(alone.ctx.db, "query");
    await until("the first to listen", 20_000, async () => (await listenersOf(alone)) === 1);
    // It may have sent the query and not yet read the result.
    const isSent = async () => {
      said.mockClear();
      alone.ctx.wakeup.wake("nobody hears it");
      await new Promise((resolve) => setTimeout(resolve, 30));
      return said.mock.calls.length > 0;
    };
    await until("wake-ups not to be sent", 20_000, async () => !(await isSent()));

    const second = await alone.anotherInstance();
    const received = count(second, "again");
    await until("the second to listen", 20_000, async () => (await listenersOf(alone)) === 2);
    // The first may not have noticed yet, but will before it counts again.
    const isReceived = () => {
      alone.ctx.wakeup.wake("again");
      return received.times > 0;
    };
    await until("the wake-up to be heard", 20_000, isReceived);
  });
});
