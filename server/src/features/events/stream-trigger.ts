import { requireEventKey } from "../../flow/waits/event-keys.ts";
import { readApprovalMessages, TRIGGER_COLUMNS, type TriggerRow } from "../../flow/waits/find-trigger.ts";
import { findDeniedWaits, withoutResult } from "../../flow/waits/redact-children.ts";
import { EVENT_TRIGGER_TOPIC } from "../../flow/waits/trigger-changes.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import type { StreamSource } from "../../platform/streams/event-stream.ts";
import { type Fed, type FeedKey, openFeed } from "../../platform/streams/feed.ts";
import { findVisibleTrigger, presentTrigger } from "./queries.ts";

/** Follows the trigger that the key refers to when the stream opens, to its end. */
export async function streamTrigger(ctx: ProjectCtx, eventKey: string): Promise<StreamSource> {
  const trigger = await findVisibleTrigger(ctx, requireEventKey(eventKey, "path.eventKey"));
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

/** The status is the version: a trigger changes only with its status. */
export const triggerFeed = openFeed<TriggerRow>({ topic: EVENT_TRIGGER_TOPIC, read: readTriggers });

async function readTriggers(ctx: Ctx, keys: FeedKey[]): Promise<Fed<TriggerRow>[]> {
  const { rows } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS}
    from unnest(${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.id)}::uuid[]) as k(project_id, id)
    join event_triggers t on t.project_id = k.project_id and t.id = k.id`.execute(ctx.db);
  return rows.map((value) => ({ project_id: value.project_id, id: value.id, version: value.status, value }));
}
