import type { InboundReceived } from "@millrace/contract/source-events";
import { dispatchEvent } from "../../../flow/sources/dispatch-event.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ApiError, notFound } from "../../../platform/errors/errors.ts";
import type { SignedRequest } from "../../../platform/route.ts";
import { findInboundSource } from "./inbound-queries.ts";
import { readWebhook } from "./read-webhook.ts";
import { verifySignature } from "./verify-signature.ts";

/** A webhook from outside: only a sender who signs with the secret of the source is accepted. */
export async function receiveWebhook(
  ctx: Ctx,
  id: string,
  payload: unknown,
  request: SignedRequest,
): Promise<InboundReceived> {
  const source = await findInboundSource(ctx, id);
  if (!source || source.signature === "none") throw notFound("event source");
  const signed = verifySignature(source.signature, source.secrets, request, source.now_secs);
  if (!signed) {
    throw new ApiError(
      "signature_invalid",
      "The signature of the webhook is missing or wrong, or its time is off by more than 300 seconds.",
    );
  }
  const webhook = readWebhook(source.signature, request, payload, signed);
  const { event, is_duplicate } = await dispatchEvent(ctx, source, {
    ...webhook,
    via: "inbound",
    payload: payload ?? {},
    metadata: {},
    parent_run_id: webhook.follows?.kind === "run" ? webhook.follows.id : null,
    replay_of: null,
    received_by: "webhook",
    received_by_id: null,
    environment_id: null,
  });
  return { received: true, id: event.id, duplicate: is_duplicate };
}
