import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint, type Script } from "../../../test/outside/job-endpoint.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { eraseDeliveries } from "../../platform/webhooks/erase-deliveries.ts";
import { notifySubscribers } from "../../platform/webhooks/notify-subscribers.ts";
import { senderOf } from "./sender.ts";

const TOKEN = "Bearer very-secret-token";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
});

/** A delivery to a subscription with a secret header, sent once. */
async function sent(script: Script, fields: object = {}) {
  const receiver = (await jobEndpoint()).respondWith(script);
  project = await world.project();
  const headers = { Authorization: TOKEN, "x-tenant": "7" };
  const subscribed = await project.api.post("/v1/webhook-subscriptions", {
    ...{ url: receiver.url, events: ["budget.*"], headers },
    ...fields,
  });
  const event = { project_id: project.id, environment_id: null, type: "budget.exceeded", data: { cap: 7 } };
  await inTransaction(world.ctx, (tx) => notifySubscribers(tx, [{ ...event, source_type: "budget", source_id: "b" }]));
  return { receiver, subscription_id: subscribed.body.id as string };
}

async function send(): Promise<void> {
  await world.tick("send-webhooks");
  await senderOf(world.ctx).idle();
}

async function newestDelivery() {
  const { data } = (await project.api.get("/v1/webhook-deliveries")).body;
  return (await project.api.get(`/v1/webhook-deliveries/${data[0].id}`)).body;
}

describe("a returned attempt", () => {
  it("H4 lists the names of the subscription's headers, but never their values", async () => {
    const { receiver } = await sent((dispatch, response) => {
      response.writeHead(400, { "content-type": "text/plain", "set-cookie": "session=abc", "x-echo": TOKEN });
      response.end(`you sent ${dispatch.headers.authorization}`);
    });
    await send();
    expect(receiver.dispatches[0]?.headers).toMatchObject({ authorization: TOKEN, "x-tenant": "7" });
    const delivery = await newestDelivery();
    expect(delivery.attempt_history[0]).toMatchObject({
      outcome: "refused",
      request_headers: { Authorization: "[redacted]", "x-tenant": "[redacted]", "webhook-id": delivery.event_id },
      response_headers: { "set-cookie": "[redacted]", "x-echo": "[redacted]", "content-type": "text/plain" },
      response_body: "you sent [redacted]",
    });
    expect(delivery.last_error).toBe("The receiver responded with 400: you sent [redacted]");
    const rows =
      "select d.*, a.* from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id where d.id = $1";
    expect(JSON.stringify(await runSql(world.connection, rows, [delivery.id]))).not.toContain("very-secret");
  });

  it("H4 includes the start of a long response, without characters that cannot be stored", async () => {
    await sent((_, response) => void response.writeHead(500).end(Buffer.from(`\u0000\ud83e${"🦊".repeat(20_000)}`)));
    await send();
    const [attempt] = (await newestDelivery()).attempt_history;
    expect(attempt.response_body.length).toBeLessThanOrEqual(4_096);
    expect(attempt.response_body.startsWith("\ufffd\ufffd")).toBe(true);
  });

  it("H4 has no response if none arrived", async () => {
    await sent((_, response) => void response.destroy());
    await send();
    expect((await newestDelivery()).attempt_history).toMatchObject([
      { outcome: "retryable", status_code: null, response_headers: null, response_body: null },
    ]);
  });

  it("has no response if the data it was about was erased while the request was in flight", async () => {
    let respond = () => {};
    const { receiver } = await sent((_, response) => {
      respond = () => void response.writeHead(500, { "x-echo": "private" }).end("private");
    });
    await world.tick("send-webhooks");
    await until("the request", 20_000, () => receiver.dispatches.length === 1);
    await inTransaction(world.ctx, (tx) => eraseDeliveries(tx, project.id, ["b"]));
    respond();
    await senderOf(world.ctx).idle();
    const delivery = await newestDelivery();
    expect(delivery).toMatchObject({ status: "failed", last_error: "data deleted" });
    expect(delivery.attempt_history).toMatchObject([{ status_code: 500, response_headers: null, response_body: null }]);
    expect(JSON.stringify(delivery)).not.toContain("private");
  });

  it("keeps what receiver health is computed from: URL, outcome, duration and time", async () => {
    const { receiver } = await sent(200);
    await send();
    const statement = `select url, outcome, status_code, duration_ms is not null as is_timed from webhook_attempts
      where project_id = $1 and started_at >= clock() - interval '1 hour'`;
    expect(await runSql(world.connection, statement, [project.id])).toEqual([
      { url: receiver.url, outcome: "delivered", status_code: 200, is_timed: true },
    ]);
  });
});

describe("a delivery whose subscription has changed", () => {
  it("uses the headers at the time of sending", async () => {
    const { receiver, subscription_id } = await sent(200);
    const headers = { Authorization: "Bearer newer-token" };
    await project.api.patch(`/v1/webhook-subscriptions/${subscription_id}`, { headers });
    await send();
    expect(receiver.dispatches[0]?.headers).toMatchObject({ authorization: "Bearer newer-token" });
    expect(receiver.dispatches[0]?.headers["x-tenant"]).toBeUndefined();
  });

  it("H4 carries no headers if the host of the subscription has changed since", async () => {
    const { receiver, subscription_id } = await sent(200);
    const elsewhere = { url: "https://hooks.example.com/new", headers: { Authorization: "Bearer of the new host" } };
    const moved = await project.api.patch(`/v1/webhook-subscriptions/${subscription_id}`, elsewhere);
    expect(moved.status, moved.text).toBe(200);
    await send();
    expect(receiver.dispatches[0]?.headers.authorization).toBeUndefined();
    expect(receiver.dispatches[0]?.headers["webhook-signature"]).toBeDefined();
  });

  it("is still sent if the subscription is disabled, and fails unsent if it is deleted", async () => {
    const disabled = await sent(200);
    await project.api.patch(`/v1/webhook-subscriptions/${disabled.subscription_id}`, { enabled: false });
    await send();
    expect(disabled.receiver.dispatches).toHaveLength(1);
    const deleted = await sent(200);
    await project.api.delete(`/v1/webhook-subscriptions/${deleted.subscription_id}`);
    await send();
    expect(deleted.receiver.dispatches).toEqual([]);
    expect(await newestDelivery()).toMatchObject({
      status: "failed",
      last_error: expect.stringContaining("subscription was deleted"),
    });
  });
});
