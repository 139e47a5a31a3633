import net from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedDeliveries, seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { runSql } from "../../../test/world/database.ts";
import { whenFileEnds } from "../../../test/world/end-of-file.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { claimDeliveries } from "./claim-deliveries.ts";
import { findDueReceivers } from "./find-due-receivers.ts";
import { receiverHealth } from "./receiver-health.ts";
import { senderOf } from "./sender.ts";
import { spareCapacity } from "./spare-capacity.ts";

const DEAD = 1_000;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.ctx.watch.ping();
});

/** A thousand hosts that accept every connection and never respond: one server behind many addresses. */
async function deadHosts(): Promise<string[]> {
  const sockets = new Set<net.Socket>();
  const dead = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).resume();
  });
  await new Promise<void>((resolve) => dead.listen(0, "0.0.0.0", resolve));
  whenFileEnds(async () => {
    for (const socket of sockets) socket.destroy();
    dead.close();
  });
  const { port } = dead.address() as net.AddressInfo;
  return Array.from({ length: DEAD }, (_, n) => `http://127.0.${1 + Math.floor(n / 250)}.${1 + (n % 250)}:${port}/`);
}

/** One long overdue delivery to each. */
async function seedTo({ connection }: World, project_id: string, urls: readonly string[]): Promise<void> {
  const ids = await seedDeliveries(connection, project_id, urls.length, { created_at: "2020-01-01T00:00:00Z" });
  await runSql(
    connection,
    `update webhook_deliveries d set url = g.url, host = split_part(g.url, '/', 3)
     from unnest($1::uuid[], $2::text[]) as g(id, url) where d.id = g.id`,
    [ids, urls],
  );
}

describe("a thousand dead receivers", () => {
  it("H1 take no slot of a proven receiver, even in the same project: its delivery is sent in the next round", async () => {
    const project = await world.project();
    const good = await jobEndpoint();
    const sender = senderOf(world.ctx);
    await seedDelivery(world.connection, project.id, { url: good.url });
    await sender.poll();
    await sender.idle();
    await seedTo(world, project.id, await deadHosts());
    await sender.poll();
    const inFlight = "select count(*)::int from webhook_deliveries where claim_token is not null";
    await until(
      "the slots to be taken",
      20_000,
      async () => (await runSql(world.connection, inFlight))[0]?.count >= 25,
    );
    for (let n = 2; n < 5; n++) {
      await seedDelivery(world.connection, project.id, { url: good.url });
      await sender.poll();
      await until("the good one to have it", 20_000, () => good.dispatches.length === n);
    }
    await sender.drain(0);
  });

  it("H1 are claimed a few at a time, and release their slots to the next when they are slow", async () => {
    const bare = await makeWorld();
    const project = await bare.project();
    const urls = Array.from({ length: 120 }, (_, n) => `http://127.0.0.1:${10_000 + n}/`);
    await seedTo(bare, project.id, urls);
    const claim = async () => {
      const { due } = await findDueReceivers(bare.ctx, undefined, 200);
      const receivers = due.map((receiver) => ({ ...receiver, is_proven: false }));
      return (await claimDeliveries(bare.ctx, receivers, { proven: 100, unproven: 50 })).claimed.length;
    };
    await bare.clock.pass("1s");
    expect([await claim(), await claim()]).toEqual([25, 0]);
    await bare.clock.pass("1s");
    expect([await claim(), await claim()]).toEqual([25, 0]);
    const other = await bare.project();
    await seedTo(bare, other.id, urls.slice(0, 40));
    expect(await claim()).toBe(25);
  });
});

describe("proven receivers", () => {
  it("are those whose last response came within a second, whatever its status", () => {
    const health = receiverHealth();
    const at = (status_code: number | null, duration_ms: number) =>
      ({ kind: "retryable", status_code, error: "", duration_ms }) as const;
    expect(health.isProven("a")).toBe(false);
    for (const [outcome, isProven] of [
      [at(500, 20), true],
      [at(null, 20), false],
      [at(200, 999), true],
      [at(200, 1_000), false],
      [at(404, 5), true],
    ] as const) {
      health.record({ project_id: "p", host: "a" }, outcome);
      expect(health.isProven("a")).toBe(isProven);
    }
    // The service stopped, not the receiver.
    health.record({ project_id: "p", host: "a" }, { kind: "aborted", error: "", delay_secs: 0 });
    expect(health.isProven("a")).toBe(true);
    expect(health.rate({ project_id: "p", host: "b" })).toMatchObject({ is_proven: false });
    expect(health.recentlyServed()).toEqual([{ project_id: "p", host: "a", is_proven: true }]);
  });
});

describe("the capacity of an instance", () => {
  const flights = (count: number, since: number, isProven: boolean) =>
    Array.from({ length: count }, () => ({ project_id: "p", since, isProven }));
  const room = (...under: ReturnType<typeof flights>[]) => {
    const { proven, unproven } = spareCapacity(under.flat(), 10_000);
    return [proven, unproven];
  };

  it("is separate for proven and unproven receivers, and excludes up to a thousand slow deliveries", () => {
    expect(room()).toEqual([100, 50]);
    expect(room(flights(30, 9_500, true), flights(50, 9_500, false))).toEqual([70, 0]);
    expect(room(flights(99, 9_000, true), flights(900, 8_000, false))).toEqual([100, 50]);
    expect(room(flights(1_000, 1_000, false))).toEqual([100, 0]);
    expect(room(flights(200, 9_999, true))).toEqual([0, 50]);
  });

  it("is zero for unproven receivers of a project that has its share of them in flight", () => {
    const { hasRoom } = spareCapacity(flights(25, 9_500, false), 10_000);
    const receiver = (project_id: string, is_proven: boolean) => ({ project_id, host: "h", is_proven });
    expect([receiver("p", false), receiver("p", true), receiver("q", false)].map(hasRoom)).toEqual([false, true, true]);
  });
});
