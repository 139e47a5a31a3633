import type { WebhookDeliveryDetail } from "@millrace/contract/deliveries/webhook-deliveries";

/**
 * How often a delivery was sent since `sinceMs`: when it was created, and with each manual retry, which counts its
 * attempts from 1 again. Automatic attempts repeat the same sending.
 */
export function countSends(
  { status, attempts, attempt_history }: Pick<WebhookDeliveryDetail, "status" | "attempts" | "attempt_history">,
  sinceMs: number,
): number {
  const first = attempt_history.filter(
    ({ attempt, outcome, started_at }) => attempt === 1 && outcome !== "aborted" && Date.parse(started_at) >= sinceMs,
  );
  const isUnderway = attempt_history.some(({ finished_at }) => finished_at === null);
  return first.length + (status === "pending" && attempts === 0 && !isUnderway ? 1 : 0);
}
