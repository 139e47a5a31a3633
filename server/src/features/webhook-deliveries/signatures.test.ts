import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it } from "vitest";
import { type Dispatch, jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedDelivery } from "../../../test/seed/seed-delivery.ts";
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

/** Signs like a receiver with the secret it got once: HMAC-SHA256 with the 32 bytes after `whsec_`. */
function hmac(secret: string, text: string): string {
  return createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(text)
    .digest("hex");
}

const signaturesOf = ({ headers }: Dispatch) => String(headers["x-svc-signature"]).split(",");

/** Verifies like a careful receiver: the timestamp is part of the signed text and must be recent. */
function isAccepted({ headers, raw }: Dispatch, secret: string): boolean {
  try {
    new Webhook(secret).verify(raw, headers as Record<string, string>);
  } catch {
    return false;
  }
  const timestamp = String(headers["x-svc-timestamp"]);
  return String(headers["x-svc-signature"])
    .split(",")
    .includes(`v1=${hmac(secret, `${timestamp}.${raw}`)}`);
}

describe("a delivery's signatures", () => {
  it("H3 are in X-Svc-Timestamp, X-Svc-Signature, X-Webhook-Signature and the headers of Standard Webhooks", async () => {
    const project = await world.project();
    const receiver = await jobEndpoint();
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url });
    await send();
    const [dispatch] = receiver.dispatches;
    if (!dispatch) throw new Error("nothing came");
    const { headers, raw } = dispatch;
    const timestamp = Number(headers["x-svc-timestamp"]);
    expect(Math.abs(timestamp - Date.now() / 1_000)).toBeLessThan(600);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-svc-signature": `v1=${hmac(project.webhook_secret, `${timestamp}.${raw}`)}`,
      "x-webhook-signature": `sha256=${hmac(project.webhook_secret, raw)}`,
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
    });
    expect(isAccepted(dispatch, project.webhook_secret)).toBe(true);
    expect(isAccepted(dispatch, (await world.project()).webhook_secret)).toBe(false);
    expect(isAccepted({ ...dispatch, raw: `${raw} ` }, project.webhook_secret)).toBe(false);
  });

  it("H3 use both secrets during a rotation, and only the new one after the grace period", async () => {
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(200);
    const rotated = await project.api.post(`/v1/projects/${project.id}/webhook-secret/rotate`, {
      grace_period_minutes: 2,
    });
    const newest: string = rotated.body.webhook_secret;
    const sent = async () => {
      await seedDelivery(world.connection, project.id, { url: receiver.url });
      await send();
      const dispatch = receiver.dispatches.at(-1);
      if (!dispatch) throw new Error("nothing came");
      return dispatch;
    };
    const during = await sent();
    expect(signaturesOf(during)).toHaveLength(2);
    expect(String(during.headers["webhook-signature"]).split(" ")).toHaveLength(2);
    expect([project.webhook_secret, newest].map((secret) => isAccepted(during, secret))).toEqual([true, true]);
    expect(during.headers["x-webhook-signature"]).toBe(`sha256=${hmac(newest, during.raw)}`);

    await world.clock.pass("2m");
    const after = await sent();
    expect(signaturesOf(after)).toHaveLength(1);
    expect([project.webhook_secret, newest].map((secret) => isAccepted(after, secret))).toEqual([false, true]);
  });

  it("H3 use the time of their own attempt, and the newest secret at that time", async () => {
    await world.clock.set(new Date().toISOString());
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(500, 200);
    await seedDelivery(world.connection, project.id, { url: receiver.url });
    await send();
    const rotated = await project.api.post(`/v1/projects/${project.id}/webhook-secret/rotate`, {});
    await world.clock.pass("1m");
    await send();
    const [first, second] = receiver.dispatches;
    if (!first || !second) throw new Error("two should have come");
    // The local clock advances by itself between two reads of the database's clock.
    const later = Number(second.headers["x-svc-timestamp"]) - Number(first.headers["x-svc-timestamp"]);
    expect(later).toBeGreaterThan(30);
    expect([isAccepted(first, project.webhook_secret), isAccepted(second, project.webhook_secret)]).toEqual([
      true,
      false,
    ]);
    expect(isAccepted(second, rotated.body.webhook_secret)).toBe(true);
  });
});
