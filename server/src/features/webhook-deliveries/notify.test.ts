import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { senderOf } from "./sender.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function send(): Promise<void> {
  await world.tick("send-webhooks");
  await senderOf(world.ctx).idle();
}

describe("a wait with notify_url", () => {
  it("T16 sends a signed webhook when the event arrives, and not before", async () => {
    const project = await world.project();
    const receiver = await jobEndpoint();
    const run = await runningRun(world, project);
    const wait = { event_key: "order:7", notify_url: receiver.url };
    expect((await run.sdk.post("/wait-for-event", wait)).status).toBe(201);
    await send();
    expect(receiver.dispatches).toEqual([]);

    expect((await project.api.post("/v1/events/order:7/send", { payload: { paid: true } })).status).toBe(200);
    await send();
    const [dispatch] = receiver.dispatches;
    if (!dispatch) throw new Error("nothing came");
    const verified = new Webhook(project.webhook_secret).verify(
      dispatch.raw,
      dispatch.headers as Record<string, string>,
    );
    expect(verified).toMatchObject({
      type: "event_trigger.received",
      id: dispatch.headers["webhook-id"],
      created_at: expect.any(String),
      data: { event_key: "order:7", status: "received", payload: { paid: true }, job_run_id: run.run_id },
    });
    const { data } = (await project.api.get("/v1/webhook-deliveries?status=delivered")).body;
    expect(data).toMatchObject([
      {
        id: dispatch.headers["webhook-id"],
        event_type: "event_trigger.received",
        source_type: "event_trigger",
        source_id: dispatch.body.data.id,
        environment_id: dispatch.body.data.environment_id,
      },
    ]);
  });
});
