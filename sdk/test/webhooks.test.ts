import { beforeAll, describe, expect, it } from "vitest";
import { signatureHeaders } from "../../server/src/platform/secrets/sign.ts";
import { jobEndpoint } from "../../server/test/outside/job-endpoint.ts";
import { makeWorld, type TestProject, type World } from "../../server/test/world/world.ts";
import { SignatureError } from "../src/errors.ts";
import { verifyWebhook } from "../src/webhooks.ts";

const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString("base64")}`;
const [secret, other] = [secretOf(1), secretOf(2)];
const body = JSON.stringify({
  type: "run.completed",
  id: "e1",
  created_at: "2026-01-01T00:00:00.000Z",
  data: { n: 1 },
});
const now = 1_800_000_000;
const signed = (secrets: string[], at = now) =>
  signatureHeaders({ secrets, body, timestampSecs: at, deliveryId: "e1" });
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => "accepted",
    (error: SignatureError) => error.reason,
  );

describe("verifyWebhook", () => {
  it("H3 returns the event if it is signed with the secret", async () => {
    const event = await verifyWebhook<{ n: number }>(body, signed([secret]), secret, { nowSecs: now });
    expect(event).toMatchObject({ type: "run.completed", data: { n: 1 } });
    const bytes = new TextEncoder().encode(body);
    expect(await verifyWebhook(bytes, new Headers(signed([secret])), secret, { nowSecs: now })).toMatchObject({
      id: "e1",
    });
  });

  it("accepts either secret during rotation, on both sides", async () => {
    expect(await reasonOf(verifyWebhook(body, signed([other, secret]), secret, { nowSecs: now }))).toBe("accepted");
    expect(await reasonOf(verifyWebhook(body, signed([secret]), [other, secret], { nowSecs: now }))).toBe("accepted");
  });

  it("accepts the signature of a dispatch", async () => {
    const headers = signatureHeaders({ secrets: [secret], body, timestampSecs: now });
    expect(await reasonOf(verifyWebhook(body, headers, secret, { nowSecs: now }))).toBe("accepted");
    const changed = verifyWebhook(`${body} `, headers, secret, { nowSecs: now });
    expect(await reasonOf(changed)).toBe("mismatch");
  });

  it.each([
    ["another body", () => verifyWebhook(`${body} `, signed([secret]), secret, { nowSecs: now }), "mismatch"],
    ["another secret", () => verifyWebhook(body, signed([other]), secret, { nowSecs: now }), "mismatch"],
    [
      "another id",
      () => verifyWebhook(body, { ...signed([secret]), "webhook-id": "e2" }, secret, { nowSecs: now }),
      "mismatch",
    ],
    ["301 seconds ago", () => verifyWebhook(body, signed([secret], now - 301), secret, { nowSecs: now }), "too_old"],
    ["301 seconds ahead", () => verifyWebhook(body, signed([secret], now + 301), secret, { nowSecs: now }), "too_new"],
    ["no headers", () => verifyWebhook(body, {}, secret, { nowSecs: now }), "missing"],
    [
      "half of the headers",
      () => verifyWebhook(body, { "webhook-signature": "v1,x" }, secret, { nowSecs: now }),
      "missing",
    ],
    [
      "nonsense",
      () => verifyWebhook(body, { ...signed([secret]), "webhook-signature": "v2,abc" }, secret, { nowSecs: now }),
      "malformed",
    ],
    [
      "not a number",
      () => verifyWebhook(body, { ...signed([secret]), "webhook-timestamp": "now" }, secret, { nowSecs: now }),
      "malformed",
    ],
    ["not one of our secrets", () => verifyWebhook(body, signed([secret]), "hush", { nowSecs: now }), "bad_secret"],
  ])("rejects %s", async (_, work, reason) => {
    expect(await reasonOf(work())).toBe(reason);
  });
});

describe("a webhook of the real service", () => {
  let world: World;
  let project: TestProject;
  beforeAll(async () => {
    world = await makeWorld();
    project = await world.project();
  });

  it("can be verified with its raw body and headers", async () => {
    const receiver = await jobEndpoint();
    const fields = { url: receiver.url, events: ["*"] };
    const { body: subscription } = await project.api.post("/v1/webhook-subscriptions", fields);
    await project.api.post(`/v1/webhook-subscriptions/${subscription.id}/test`);
    const [delivery] = receiver.dispatches;
    const event = await verifyWebhook(delivery?.raw ?? "", delivery?.headers ?? {}, project.webhook_secret);
    expect(event.type).toBe("webhook.test");
    const forged = verifyWebhook(
      `${delivery?.raw}`.replace("test", "text"),
      delivery?.headers ?? {},
      project.webhook_secret,
    );
    await expect(forged).rejects.toBeInstanceOf(SignatureError);
  });
});
