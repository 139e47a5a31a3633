import { cancelTrigger as cancelWait } from "../../flow/events/cancel-trigger.ts";
import { requireEventKey } from "../../flow/waits/event-keys.ts";
import { approverNames } from "../../platform/access/approver-names.ts";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findTrigger } from "./queries.ts";

/** The waiting step fails and follows its on_failure; the waiting run is canceled. */
export async function cancelTrigger(ctx: ProjectCtx, eventKey: string): Promise<undefined> {
  const decider = { by: actorOf(ctx.caller), names: await approverNames(ctx) };
  const seen = await findTrigger(ctx, requireEventKey(eventKey, "path.eventKey"));
  if (!seen) throw notFound("event trigger");
  await cancelWait(ctx, { project_id: ctx.project_id, trigger_id: seen.id, ...decider }, (tx, before) =>
    recordAudit(tx, {
      action: "event_trigger.canceled",
      resource_type: "event_trigger",
      resource_id: before.id,
      before,
    }),
  );
}
