import type { Ctx } from "../../platform/context.ts";
import { afterCommit } from "../../platform/database/after-commit.ts";
import { wake } from "../../platform/wake.ts";

export type TriggerKey = { project_id: string; trigger_id: string };

export const EVENT_TRIGGER_TOPIC = "event-trigger";

/** Triggers that began to wait or changed their status: notifies the streams that show them after the commit. */
export function notifyTriggers(ctx: Ctx, keys: readonly TriggerKey[]): void {
  for (const { project_id, trigger_id } of keys) wake(ctx, EVENT_TRIGGER_TOPIC, `${project_id}:${trigger_id}`);
}

/** The metrics of created triggers, after the commit. `received`: how many were resolved by a buffered event at once. */
export function countCreatedTriggers(
  ctx: Ctx,
  created: readonly { project_id: string; source_type: string }[],
  received: number,
): void {
  afterCommit(ctx, ({ metrics }) => {
    for (const { source_type, project_id } of created) {
      metrics.eventTriggersCreated.inc({ source_type, project_id: metrics.projectLabel(project_id) });
    }
    if (received > 0) metrics.eventTriggersReceived.inc(received);
  });
}

/** The metrics of ended triggers, after the commit. `received`: resolved by an event. */
export function countEndedTriggers(ctx: Ctx, { received, timed_out }: { received: number; timed_out: number }): void {
  afterCommit(ctx, ({ metrics }) => {
    if (received > 0) metrics.eventTriggersReceived.inc(received);
    if (timed_out > 0) metrics.eventTriggersTimedOut.inc(timed_out);
  });
}
