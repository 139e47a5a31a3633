import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint, type Script } from "../../../test/outside/job-endpoint.ts";
import { seedSubscription } from "../../../test/seed/seed-subscription.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

async function tested(script: Script, fields: object = {}) {
  const receiver = (await jobEndpoint()).respondWith(script);
  const created = await project.api.post("/v1/webhook-subscriptions", {
    url: receiver.url,
    events: ["run.*"],
    ...fields,
  });
  const reply = await project.api.post(`/v1/webhook-subscriptions/${created.body.id}/test`);
  return { ...reply, receiver, id: created.body.id as string };
}

describe("POST /v1/webhook-subscriptions/{webhookSubscriptionID}/test", () => {
  it("H3 sends a signed event with the headers of every delivery, and returns the outcome", async () => {
    const headers = { authorization: "Bearer for-the-receiver" };
    const { status, body, receiver, id } = await tested(
      { status: 202, body: { got: "it" } },
      { headers, enabled: false },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ delivered: true, status_code: 202, error: null, response_body: '{"got":"it"}' });
    const [dispatch] = receiver.dispatches;
    if (!dispatch) throw new Error("nothing came");
    expect(dispatch.headers).toMatchObject(headers);
    expect(body.sent).toBe(dispatch.raw);
    const verified = new Webhook(project.webhook_secret).verify(
      dispatch.raw,
      dispatch.headers as Record<string, string>,
    );
    expect(verified).toMatchObject({ type: "webhook.test", data: { subscription_id: id, events: ["run.*"] } });
  });

  it("is sent once whatever the response, and creates no delivery", async () => {
    const { body, receiver } = await tested(503);
    expect(body).toMatchObject({ delivered: false, status_code: 503, error: "The receiver responded with 503." });
    expect(receiver.dispatches).toHaveLength(1);
    const rows = await runSql(world.connection, "select 1 from webhook_deliveries where project_id = $1", [project.id]);
    expect(rows).toEqual([]);
  });

  it("returns the reason for a missing response, and hides the subscription's secrets", async () => {
    const cut = await tested((_, response) => void response.destroy());
    expect(cut.body).toMatchObject({ delivered: false, status_code: null, response_body: null });
    expect(cut.body.error).toContain("closed the connection");
    const echo: Script = (dispatch, response) => void response.end(`${dispatch.headers["x-token"]}`);
    const { body } = await tested(echo, { headers: { "x-token": "very-secret" } });
    expect(body.response_body).toBe("[redacted]");
  });

  it("404 for an unknown one and for another project's; 403 without webhooks:write", async () => {
    const foreign = await seedSubscription(world.connection, (await world.project()).id);
    for (const id of [newId(), foreign]) {
      expect((await project.api.post(`/v1/webhook-subscriptions/${id}/test`)).status).toBe(404);
    }
    const { api } = await project.newKey({ scopes: ["webhooks:read"] });
    const own = await seedSubscription(world.connection, project.id);
    expect((await api.post(`/v1/webhook-subscriptions/${own}/test`)).body.code).toBe("scope_missing");
  });
});
