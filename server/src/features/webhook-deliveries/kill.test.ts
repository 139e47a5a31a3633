import { describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { serveOn, useServices } from "../../../test/service/start-service.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld } from "../../../test/world/world.ts";
import { senderOf } from "./sender.ts";

useServices();

describe("kill -9 of the process that is sending", () => {
  it("H1 loses no delivery: another instance sends it again with the same id, and counts both attempts", async () => {
    const world = await makeWorld();
    const env = { ALLOW_PRIVATE_ENDPOINTS: "true", ENCRYPTION_KEY: world.ctx.config.encryption_keys.join() };
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(() => {}, 200);
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url });
    const killed = await serveOn(world.connection, env);
    await until("the receiver to have it", 20_000, () => receiver.dispatches.length === 1);
    await killed.kill();

    await world.clock.pass("31s");
    await world.tick("send-webhooks");
    await senderOf(world.ctx).idle();
    const row = "select status, attempts from webhook_deliveries where id = $1";
    expect(await runSql(world.connection, row, [id])).toEqual([{ status: "delivered", attempts: 2 }]);
    expect(receiver.dispatches.map(({ headers }) => headers["webhook-id"])).toEqual([id, id]);
  });
});
