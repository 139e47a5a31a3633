import type { EventTrigger } from "@millrace/contract/events";
import { requireEventKey } from "../../flow/waits/event-keys.ts";
import { readApprovalMessages } from "../../flow/waits/read-trigger.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentTrigger } from "./present-trigger.ts";
import { findTrigger } from "./queries.ts";

export async function getTrigger(ctx: ProjectCtx, eventKey: string): Promise<EventTrigger> {
  const row = await findTrigger(ctx, requireEventKey(eventKey, "path.eventKey"));
  if (!row) throw notFound("event trigger");
  const messages = await readApprovalMessages(ctx, ctx.project_id, [row]);
  return presentTrigger(ctx, row, messages.get(row.id));
}
