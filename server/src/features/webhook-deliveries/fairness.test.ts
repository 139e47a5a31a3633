import type { ServerResponse } from "node:http";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type JobEndpoint, jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedDeliveries, seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { runSql } from "../../../test/world/database.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { until } from "../../../test/world/until.ts";
import { type Instance, makeWorld, type World } from "../../../test/world/world.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import { findDueReceivers, type Receiver } from "./find-due-receivers.ts";
import { senderOf } from "./sender.ts";

let world: World;
let instances: Instance[];
beforeAll(async () => {
  world = await makeWorld();
  instances = [world, await world.anotherInstance()];
  // Starting one keeps the process so busy that the other may consider the database unresponsive.
  for (const { ctx } of instances) await ctx.watch.ping();
});
beforeEach(() => runSql(world.connection, "delete from webhook_deliveries"));

/** A receiver that responds on demand and records the maximum of concurrent requests. */
async function slowReceiver() {
  const open = new Set<ServerResponse>();
  let max = 0;
  const endpoint = (await jobEndpoint()).respondWith((_, response) => {
    open.add(response);
    max = Math.max(max, open.size);
  });
  const respondAll = () => {
    for (const response of open) response.writeHead(200).end();
    open.clear();
  };
  return { endpoint, open, max: () => max, respondAll };
}

const ROOM = { proven: 100, unproven: 100 };
const asProven = (receiver: Receiver) => ({ ...receiver, is_proven: true });
const looks = () => Promise.all(instances.map(({ ctx }) => senderOf(ctx).poll()));
const idle = () => Promise.all(instances.map(({ ctx }) => senderOf(ctx).idle()));
const idsSentTo = ({ dispatches }: JobEndpoint) => dispatches.map(({ headers }) => String(headers["webhook-id"]));
const statuses = (project_id: string) =>
  runSql<{ status: string; count: number }>(
    world.connection,
    "select status, count(*)::int from webhook_deliveries where project_id = $1 group by status order by status",
    [project_id],
  );

describe("several instances", () => {
  it("H1 send each of 120 deliveries to six receivers once, and no attempt twice", async () => {
    const project = await world.project();
    const receivers = await Promise.all(Array.from({ length: 6 }, jobEndpoint));
    const ids = await Promise.all(
      receivers.map(({ url }) => seedDeliveries(world.connection, project.id, 20, { url })),
    );
    await until("all to be delivered", 20_000, async () => {
      await looks();
      await idle();
      return (await statuses(project.id)).every(({ status }) => status === "delivered");
    });
    for (const [nth, receiver] of receivers.entries()) {
      expect(idsSentTo(receiver).toSorted()).toEqual(ids[nth]?.toSorted());
    }
    const [count] = await runSql(world.connection, "select count(*)::int as attempts from webhook_attempts");
    expect(count).toEqual({ attempts: 120 });
  });

  it("H1 together keep at most ten in flight to a host, and continue as soon as a slot is free", async () => {
    const project = await world.project();
    const slow = await slowReceiver();
    await seedDeliveries(world.connection, project.id, 60, { url: slow.endpoint.url });
    for (let pass = 0; pass < 5; pass++) await looks();
    await until("ten to be under way", 20_000, () => slow.open.size === 10);
    for (let answered = 0; answered < 6; answered++) {
      // A pass may run before all responses are recorded; the next one finds the remaining slots.
      await until("ten to be under way", 20_000, async () => {
        await looks();
        return slow.open.size === 10;
      });
      slow.respondAll();
    }
    await until("all to be delivered", 20_000, async () => {
      slow.respondAll();
      await looks();
      return slow.endpoint.dispatches.length === 60;
    });
    slow.respondAll();
    await idle();
    expect(slow.max()).toBe(10);
    expect(new Set(idsSentTo(slow.endpoint)).size).toBe(60);
  });
});

describe("concurrent claims for one host", () => {
  it("H1 do not fill its slots twice, even with different projects", async () => {
    const url = "http://127.0.0.1:1024/";
    const projects = await Promise.all(Array.from({ length: 8 }, () => world.project()));
    for (const { id } of projects) await seedDeliveries(world.connection, id, 20, { url });
    let claimed = 0;
    for (let pass = 0; pass < 4; pass++) {
      const claims = await Promise.all(
        projects.map(({ id }) =>
          claimDeliveries(world.ctx, [{ project_id: id, host: "127.0.0.1:1024", is_proven: true }], ROOM),
        ),
      );
      claimed += claims.reduce((sum, claim) => sum + claim.claimed.length, 0);
    }
    expect(claimed).toBe(10);
  });
});

/** The number of due deliveries to a receiver that does not respond. */
const MANY = sizeOf(300, 2_000);

describe("fairness", () => {
  it("a receiver that does not respond delays no other, however many deliveries it has", async () => {
    const [busy, other] = [await world.project(), await world.project()];
    const [slow, quick] = [await slowReceiver(), await jobEndpoint()];
    await seedDeliveries(world.connection, busy.id, MANY, {
      url: slow.endpoint.url,
      created_at: "2020-01-01T00:00:00Z",
    });
    await seedDeliveries(world.connection, other.id, 25, { url: quick.url });
    await seedDeliveries(world.connection, busy.id, 25, { url: quick.url });
    await senderOf(world.ctx).poll();
    // Without another pass: each delivery that ends starts the next. Behind timeouts of 15 s it would take hours.
    await until("the quick one to have all", 60_000, () => quick.dispatches.length === 50);
    await until("the slow one to have its ten", 20_000, () => slow.open.size === 10);
    await runSql(world.connection, "delete from webhook_deliveries where next_attempt_at <= clock()");
    slow.respondAll();
    await idle();
  });

  it("two projects with the same receiver alternate", async () => {
    const [busy, other] = [await world.project(), await world.project()];
    const slow = await slowReceiver();
    const { url } = slow.endpoint;
    await seedDeliveries(world.connection, busy.id, 500, { url, created_at: "2020-01-01T00:00:00Z" });
    const own = await seedDeliveries(world.connection, other.id, 3, { url });
    await senderOf(world.ctx).poll();
    await until("ten to be under way", 20_000, () => slow.open.size === 10);
    expect(idsSentTo(slow.endpoint)).toEqual(expect.arrayContaining(own));
    await runSql(world.connection, "delete from webhook_deliveries where next_attempt_at <= clock()");
    slow.respondAll();
    await idle();
  });

  it("a project with many dead receivers leaves half of the slots to the others", async () => {
    const [busy, other] = [await world.project(), await world.project()];
    const url = (nth: number) => `http://127.0.0.1:${10_000 + nth}/`;
    for (let nth = 0; nth < 12; nth++) await seedDeliveries(world.connection, busy.id, 20, { url: url(nth) });
    // A delivery in flight for a second releases its slot, but no time passes here.
    await world.clock.set(await world.clock.now());
    const claim = async () => {
      const { due } = await findDueReceivers(world.ctx, undefined, 100);
      return (await claimDeliveries(world.ctx, due.map(asProven), ROOM)).claimed;
    };
    const first = await claim();
    expect(first).toHaveLength(50);
    const perHost = first.map((delivery) => delivery.url).filter((each) => each === url(0));
    // Spread over its receivers, instead of filling the first five.
    expect(perHost.length).toBeLessThanOrEqual(5);
    expect(await claim()).toEqual([]);
    const late = await seedDelivery(world.connection, other.id, { url: url(0) });
    expect((await claim()).map(({ id }) => id)).toEqual([late]);
  });

  it("finds due deliveries among many of one receiver", async () => {
    const project = await world.project();
    await seedDeliveries(world.connection, project.id, 1_000, { url: "http://127.0.0.1:1024/" });
    const last = await seedDelivery(world.connection, project.id, { url: "http://127.0.0.1:9999/" });
    const { due, next } = await findDueReceivers(world.ctx, undefined, 256);
    expect(due.map(({ host }) => host)).toEqual(["127.0.0.1:1024", "127.0.0.1:9999"]);
    expect(next).toBeUndefined();
    const claim = await claimDeliveries(world.ctx, due.map(asProven), ROOM);
    expect(claim.claimed).toHaveLength(11);
    expect(claim.claimed.map(({ id }) => id)).toContain(last);
    expect(claim.isMore).toBe(true);
  });

  it("walks many receivers page by page and skips none", async () => {
    const projects = await Promise.all(Array.from({ length: 5 }, () => world.project()));
    for (const { id } of projects) {
      for (let nth = 0; nth < 4; nth++)
        await seedDelivery(world.connection, id, { url: `http://127.0.0.1:${2_000 + nth}/` });
    }
    const seen: string[] = [];
    let after: { project_id: string; host: string } | undefined;
    do {
      const page = await findDueReceivers(world.ctx, after, 3);
      seen.push(...page.due.map(({ project_id, host }) => `${project_id} ${host}`));
      after = page.next;
    } while (after);
    expect(seen).toHaveLength(20);
    expect(new Set(seen).size).toBe(20);
  });
});
