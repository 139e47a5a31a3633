import type { WebhookDelivery } from "@millrace/contract/deliveries/webhook-deliveries";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { lockDeliveries, resetDeliveries } from "./queries.ts";

export type Reset =
  | { id: string; before: WebhookDelivery; after: WebhookDelivery; apiError?: undefined }
  | { id: string; apiError: ApiError };

/** Resets failed deliveries to their first attempt. Returns an outcome for each, in order. */
export async function resetFailed(tx: ProjectCtx & InTransaction, ids: readonly string[]): Promise<Reset[]> {
  const locked = new Map((await lockDeliveries(tx, ids)).map((each) => [each.id, each]));
  const reset = new Map((await resetDeliveries(tx, [...locked.keys()])).map((each) => [each.id, each]));
  return ids.map((id) => response(id, locked.get(id), reset.get(id)));
}

function response(id: string, before: WebhookDelivery | undefined, after: WebhookDelivery | undefined): Reset {
  if (!before) return { id, apiError: notFound("webhook delivery") };
  if (after) return { id, before, after };
  const message = `The delivery is ${before.status}: only a failed one can be retried.`;
  return { id, apiError: new ApiError("delivery_not_failed", message) };
}
