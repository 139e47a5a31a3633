import { readApprovalMessages } from "../../flow/waits/read-approval-messages.ts";
import type { TriggerRow } from "../../flow/waits/read-trigger.ts";
import { findDeniedWaits, withoutResult } from "../../flow/waits/resolve/leave-out-children.ts";
import { requireEventKey } from "../../flow/waits/send/event-key.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import type { StreamSource } from "../../platform/streams/event-stream.ts";
import { presentTrigger } from "./present-trigger.ts";
import { findTrigger } from "./queries.ts";
import { triggerFeed } from "./trigger-feed.ts";

/** Follows the trigger that the key refers to when the stream opens, to its end. */
export async function streamTrigger(ctx: ProjectCtx, eventKey: string): Promise<StreamSource> {
  const trigger = await findTrigger(ctx, requireEventKey(eventKey, "path.eventKey"));
  if (!trigger) throw notFound("event trigger");
  const $schema = `${ctx.origin.base_url}/schemas/EventTrigger.json`;
  const messages = await readApprovalMessages(ctx, ctx.project_id, [trigger]);
  const denied = await findDeniedWaits(ctx, [trigger]);
  const present = (row: TriggerRow) => {
    const shown = denied.has(row.id) ? withoutResult(row) : row;
    return { ...presentTrigger(ctx, shown, messages.get(row.id)), $schema };
  };
  return ({ send, end }) =>
    triggerFeed.watch(ctx, trigger, (row) => {
      if (row) send("status", present(row));
      if (row?.status !== "waiting") end();
    });
}
