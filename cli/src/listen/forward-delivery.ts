import { createHmac } from "node:crypto";
import type { WebhookDeliveryDetail } from "@millrace/contract/deliveries/webhook-deliveries";

const TIMEOUT_MS = 15_000;
const SECRET_PREFIX = "whsec_";

export type Forwarded = { url: string; status: number | null; error: string | null; duration_ms: number };

/** Posts the body of a delivery as the service sent it, signed with `secret` and the current time. */
export async function forwardDelivery(
  { event_id, body }: WebhookDeliveryDetail,
  url: string,
  secret: string,
): Promise<Forwarded> {
  const text = body ?? "";
  const headers = { "content-type": "application/json", ...signed(event_id, text, secret) };
  const startedAt = performance.now();
  const result = await fetch(url, {
    ...{ method: "POST", headers, body: text, redirect: "manual" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    async (response) => {
      await response.arrayBuffer();
      return { status: response.status, error: null };
    },
    (error: Error) => ({ status: null, error: (error.cause as Error | undefined)?.message || error.message }),
  );
  return { url, ...result, duration_ms: Math.round(performance.now() - startedAt) };
}

/** The headers of Standard Webhooks, and those of the service. */
function signed(id: string, body: string, secret: string): Record<string, string> {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const sign = (text: string) => createHmac("sha256", key).update(text);
  return {
    ...{ "webhook-id": id, "webhook-timestamp": timestamp },
    "webhook-signature": `v1,${sign(`${id}.${timestamp}.${body}`).digest("base64")}`,
    ...{ "x-svc-timestamp": timestamp, "x-svc-signature": `v1=${sign(`${timestamp}.${body}`).digest("hex")}` },
  };
}
