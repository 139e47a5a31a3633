import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { runSql } from "../../../test/world/database.ts";
import { startAtOnce } from "../../../test/world/start-at-once.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { senderOf } from "./sender.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => runSql(world.connection, "delete from webhook_deliveries"));

const rowOf = async (id: string) =>
  (
    await runSql(world.connection, "select status, attempts, claim_token from webhook_deliveries where id = $1", [id])
  )[0];

describe("an instance that stops", () => {
  it("completes requests in flight and claims no more", async () => {
    const stopping = await world.anotherInstance();
    const project = await world.project();
    let reply = () => {};
    const receiver = (await jobEndpoint()).respondWith((_, response) => {
      reply = () => void response.writeHead(200).end();
    });
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url });
    const sender = senderOf(stopping.ctx);
    await sender.poll();
    await until("the receiver to have it", 20_000, () => receiver.dispatches.length === 1);
    const drained = sender.drain(20_000);
    const later = await seedDelivery(world.connection, project.id, { url: receiver.url });
    await sender.poll();
    reply();
    await drained;
    expect(await rowOf(id)).toEqual({ status: "delivered", attempts: 1, claim_token: null });
    expect(await rowOf(later)).toEqual({ status: "pending", attempts: 0, claim_token: null });
  });

  it("aborts requests after the grace period: the delivery is due at once, the attempt is not counted, another instance sends it", async () => {
    const stopping = await world.anotherInstance();
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(() => {}, 200);
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url, attempts: 4 });
    await senderOf(stopping.ctx).poll();
    await until("the receiver to have it", 20_000, () => receiver.dispatches.length === 1);
    await senderOf(stopping.ctx).drain(0);
    expect(await rowOf(id)).toEqual({ status: "pending", attempts: 4, claim_token: null });
    await world.tick("send-webhooks");
    await senderOf(world.ctx).idle();
    expect(await rowOf(id)).toEqual({ status: "delivered", attempts: 5, claim_token: null });
    expect(receiver.dispatches.map(({ headers }) => headers["webhook-id"])).toEqual([id, id]);
  });

  it("drains when the service is closed", async () => {
    const stopping = await world.anotherInstance({ shutdown_grace_secs: 0 });
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(() => {});
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url });
    await senderOf(stopping.ctx).poll();
    await until("the receiver to have it", 20_000, () => receiver.dispatches.length === 1);
    await stopping.service.close();
    expect(await rowOf(id)).toEqual({ status: "pending", attempts: 0, claim_token: null });
  });
});

describe("a running engine", () => {
  it("sends on a notification, and without one", async () => {
    const running = await world.anotherInstance();
    startAtOnce(() => running.service.startTasks());
    const project = await world.project();
    const receiver = await jobEndpoint();
    const isDelivered = async (id: string) => (await rowOf(id))?.status === "delivered";
    const quiet = await seedDelivery(world.connection, project.id, { url: receiver.url });
    await until("the poll to find it", 20_000, () => isDelivered(quiet));
    const notified = await seedDelivery(world.connection, project.id, { url: receiver.url });
    // Like a notification from another instance after its commit.
    world.ctx.wakeup.wake("deliveries");
    await until("the notified delivery to be sent", 20_000, () => isDelivered(notified));
    expect(receiver.dispatches).toHaveLength(2);
  });
});
