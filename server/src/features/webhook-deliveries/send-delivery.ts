import type { Ctx } from "../../platform/context.ts";
import type { Cord } from "../../platform/outgoing/cord.ts";
import { sendRequest } from "../../platform/outgoing/send-request.ts";
import { signatureHeaders } from "../../platform/sign.ts";
import { readSigningSecrets } from "../../platform/signing-secrets.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import { type Receipt, readReceipt } from "./read-receipt.ts";

const MOST_ANSWER_BYTES = 16_384; // of which only the beginning is shown
const NOT_SIGNED_SECS = 5;

type Limits = { timeout_ms: number; cord: Cord };

/** One signed request to the receiver, and what its answer means. Never rejects. */
export async function sendDelivery(ctx: Ctx, delivery: ClaimedDelivery, limits: Limits): Promise<Receipt> {
  const { project_id, id: deliveryId, url } = delivery;
  const body = Buffer.from(delivery.body);
  try {
    const secrets = await readSigningSecrets(ctx, project_id);
    const timestampSecs = Math.floor(ctx.watch.nowMs() / 1_000);
    const headers = {
      "content-type": "application/json",
      "user-agent": "millrace",
      ...signatureHeaders({ secrets, body, timestampSecs, deliveryId }),
    };
    if (delivery.is_retry) ctx.metrics.webhookRetryAttempts.inc();
    const request = { method: "POST", url, headers, body, ...limits } as const;
    return readReceipt(await sendRequest(ctx.outgoing, { ...request, max_response_bytes: MOST_ANSWER_BYTES }));
  } catch (error) {
    // The secrets could not be read. Not at once again: it may last.
    ctx.log.warn({ delivery_id: deliveryId, reason: (error as Error).message }, "a delivery could not be signed");
    return { kind: "given_back", error: "The delivery could not be signed.", delay_secs: NOT_SIGNED_SECS };
  }
}
