import { beforeAll, describe, expect, it } from "vitest";
import { type JobEndpoint, jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { senderOf } from "../webhook-deliveries/sender.ts";

let world: World;
let mail: JobEndpoint;
beforeAll(async () => {
  mail = await jobEndpoint();
  const settings = { from: "Millrace <night@example.com>", smtp_url: undefined, webhook_url: mail.url } as const;
  world = await makeWorld({ config: { mail: settings, public_url: "https://millrace.example.com" } });
});

async function create(project: TestProject, fields: object) {
  const { status, body, text } = await project.api.post("/v1/alert-channels", { name: "Night", ...fields });
  expect(status, text).toBe(201);
  return body;
}

/** Sends a test notification to a channel of this kind. */
async function notified(fields: object) {
  const project = await world.project();
  const channel = await create(project, fields);
  const rule = {
    name: "Backlog <x> & @everyone",
    kind: "queue_depth",
    runbook: "Call Ada.",
    channel_ids: [channel.id],
  };
  const { body } = await project.api.post("/v1/alert-rules", rule);
  const tested = await project.api.post(`/v1/alert-rules/${body.id}/test`);
  await world.tick("send-webhooks");
  await senderOf(world.ctx).idle();
  const [delivery_id] = tested.body.delivery_ids;
  return { project, delivery: (await project.api.get(`/v1/webhook-deliveries/${delivery_id}`)).body, tested };
}

describe("POST /v1/alert-channels", () => {
  it.each([
    [
      "slack",
      { url: "here" },
      (body: { text: string }) => expect(body.text).toContain("Test: Backlog &lt;x&gt; &amp;"),
    ],
    ["discord", { url: "here" }, (body: object) => expect(body).toMatchObject({ allowed_mentions: { parse: [] } })],
    [
      "teams",
      { url: "here" },
      (body: object) =>
        expect(body).toMatchObject({ type: "message", attachments: [{ content: { type: "AdaptiveCard" } }] }),
    ],
    [
      "pagerduty",
      { url: "here", key: "routing-key-1" },
      (body: object) =>
        expect(body).toMatchObject({
          ...{ routing_key: "routing-key-1", event_action: "trigger", dedup_key: expect.any(String) },
          payload: { severity: "info", custom_details: { action: "Call Ada." } },
        }),
    ],
    ["opsgenie", { url: "here", key: "genie-1" }, (body: object) => expect(body).toMatchObject({ source: "millrace" })],
    ["webhook", { url: "here" }, (body: object) => expect(body).toMatchObject({ type: "alert.test" })],
  ])(
    "L6 %s receives alerts in its own format, and keys are neither stored nor shown",
    async (kind, fields, expected) => {
      const receiver = await jobEndpoint();
      const { delivery } = await notified({ kind, ...fields, url: receiver.url });
      expect([delivery.status, delivery.last_error]).toEqual(["delivered", null]);
      expect(receiver.dispatches).toHaveLength(1);
      expected(receiver.dispatches[0]?.body);
      expect(receiver.dispatches[0]?.headers["webhook-signature"]).toMatch(/^v1,/);
      const isOpsgenie = kind === "opsgenie";
      expect(receiver.dispatches[0]?.headers.authorization).toBe(isOpsgenie ? "GenieKey genie-1" : undefined);
      expect(delivery.url).toBe(`${new URL(receiver.url).origin}/`);
      expect(JSON.stringify(delivery)).not.toMatch(/routing-key-1|genie-1/);
    },
  );

  it("L6 email is sent by the service's mail settings, with what to do", async () => {
    const { delivery } = await notified({ kind: "email", email: "ada@example.com" });
    expect([delivery.status, delivery.url]).toEqual(["delivered", "mailto:ada@example.com"]);
    expect(mail.dispatches.at(-1)?.body).toMatchObject({
      ...{ to: "ada@example.com", subject: expect.stringContaining("Test: Backlog") },
      text: expect.stringMatching(/What to do: Call Ada\.[\s\S]*https:\/\/millrace\.example\.com\/p\/[^/]+\/-\/alerts/),
    });
  });

  it("L6 a receiver that limits the rate is tried again", async () => {
    const receiver = (await jobEndpoint()).respondWith(429);
    const { delivery } = await notified({ kind: "slack", url: receiver.url });
    expect([delivery.status, delivery.last_status_code]).toEqual(["pending", 429]);
  });

  it("refuses fields that the kind does not use, and names those it needs", async () => {
    const project = await world.project();
    const post = (fields: object) => project.api.post("/v1/alert-channels", { name: "Night", ...fields });
    const locations = async (fields: object) =>
      ((await post(fields)).body.errors ?? []).map(({ location }: { location: string }) => location);
    expect(await locations({ kind: "slack" })).toEqual(["body.url"]);
    expect(await locations({ kind: "pagerduty", email: "a@example.com" })).toEqual(["body.key", "body.email"]);
    expect(await locations({ kind: "email", email: "a@example.com", url: "https://example.com/" })).toEqual([
      "body.url",
    ]);
    expect(await locations({ kind: "webhook", url: "ftp://example.com/" })).toEqual(["body.url"]);
  });
});

describe("GET /v1/alert-channels", () => {
  it("lists them without their secrets, which are stored encrypted", async () => {
    const project = await world.project();
    await create(project, { kind: "slack", url: "https://hooks.slack.com/services/T0/B0/hush" });
    const { body, text } = await project.api.get("/v1/alert-channels");
    expect(body.data).toMatchObject([{ kind: "slack", target: "https://hooks.slack.com/" }]);
    const stored = await runSql(world.connection, "select * from alert_channels where project_id = $1", [project.id]);
    expect(text + JSON.stringify(stored) + stored[0]?.settings.toString("latin1")).not.toContain("hush");
  });
});

describe("GET /v1/alert-channels/{alertChannelID}", () => {
  it("needs alerts:read, and a key of the whole project", async () => {
    const project = await world.project();
    const { id } = await create(project, { kind: "email", email: "ada@example.com" });
    expect((await project.api.get(`/v1/alert-channels/${id}`)).body.target).toBe("mailto:ada@example.com");
    const other = await project.newKey({ scopes: ["webhooks:read"] });
    expect((await other.api.get(`/v1/alert-channels/${id}`)).body.code).toBe("scope_missing");
    const bound = await project.newKey({ environment_id: "staging" });
    expect((await bound.api.get(`/v1/alert-channels/${id}`)).status).toBe(403);
  });
});

describe("PATCH /v1/alert-channels/{alertChannelID}", () => {
  it("keeps what is not given, and refuses what its kind does not use", async () => {
    const project = await world.project();
    const { id } = await create(project, { kind: "pagerduty", key: "one" });
    const path = `/v1/alert-channels/${id}`;
    const patched = await project.api.patch(path, { url: "https://events.pagerduty.com/v2/other" });
    expect(patched.body.target).toBe("https://events.pagerduty.com/");
    expect((await project.api.patch(path, { email: "a@example.com" })).status).toBe(422);
  });

  it("L6 does not send a stored key to another host", async () => {
    const project = await world.project();
    const { id } = await create(project, { kind: "pagerduty", key: "one" });
    const path = `/v1/alert-channels/${id}`;
    const url = "https://events.eu.pagerduty.com/v2/enqueue";
    const { status, body } = await project.api.patch(path, { url });
    expect([status, body.errors[0].location]).toEqual([422, "body.key"]);
    expect((await project.api.get(path)).body.target).toBe("https://events.pagerduty.com/");
    expect((await project.api.patch(path, { url, key: "two" })).body.target).toBe("https://events.eu.pagerduty.com/");
  });
});

describe("POST /v1/alert-channels/{alertChannelID}/test", () => {
  it("L6 sends a test, unless the channel is disabled", async () => {
    const project = await world.project();
    const receiver = await jobEndpoint();
    const { id } = await create(project, { kind: "webhook", url: receiver.url });
    const path = `/v1/alert-channels/${id}`;
    expect((await project.api.post(`${path}/test`)).body.delivery_ids).toHaveLength(1);
    await world.tick("send-webhooks");
    await senderOf(world.ctx).idle();
    expect(receiver.dispatches.map(({ body }) => body)).toMatchObject([
      { type: "alert.test", data: { rule_name: "Night", summary: "A test of this channel." } },
    ]);
    await project.api.patch(path, { enabled: false });
    expect((await project.api.post(`${path}/test`)).body.delivery_ids).toEqual([]);
  });
});

describe("DELETE /v1/alert-channels/{alertChannelID}", () => {
  it("is refused while a rule names the channel", async () => {
    const project = await world.project();
    const { id } = await create(project, { kind: "email", email: "ada@example.com" });
    const rule = await project.api.post("/v1/alert-rules", { name: "Rule", kind: "budget", channel_ids: [id] });
    expect((await project.api.delete(`/v1/alert-channels/${id}`)).status).toBe(409);
    await project.api.delete(`/v1/alert-rules/${rule.body.id}`);
    expect((await project.api.delete(`/v1/alert-channels/${id}`)).status).toBe(204);
  });
});
