import type { Ctx } from "../../platform/context.ts";
import type { WaitNotifications } from "./notifications.ts";

export const EVENT_TRIGGER_TOPIC = "event-trigger";

/** After the commit: updates metrics, notifies watchers of the triggers, and wakes the outbox. Only hints. */
export function publishTriggers(
  ctx: Ctx,
  notifications: Pick<WaitNotifications, "created" | "received" | "timed_out" | "changed" | "hasDeliveries">,
): void {
  countMetrics(ctx, notifications);
  for (const { project_id, trigger_id } of notifications.changed) {
    ctx.wakeup.wake(EVENT_TRIGGER_TOPIC, `${project_id}:${trigger_id}`);
  }
  if (notifications.hasDeliveries) ctx.wakeup.wake("deliveries");
}

function countMetrics(
  { metrics }: Ctx,
  { created, received, timed_out }: Pick<WaitNotifications, "created" | "received" | "timed_out">,
): void {
  for (const { source_type, project_id } of created) {
    metrics.eventTriggersCreated.inc({ source_type, project_id: metrics.projectLabel(project_id) });
  }
  if (received > 0) metrics.eventTriggersReceived.inc(received);
  if (timed_out > 0) metrics.eventTriggersTimedOut.inc(timed_out);
}
