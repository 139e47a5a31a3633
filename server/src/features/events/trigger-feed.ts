import { sql } from "kysely";
import { EVENT_TRIGGER_TOPIC } from "../../flow/waits/notify-triggers.ts";
import { TRIGGER_COLUMNS, type TriggerRow } from "../../flow/waits/read-trigger.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Fed, type FeedKey, openFeed } from "../../platform/streams/feed.ts";

/** The status is the version: a trigger changes only with its status. */
export const triggerFeed = openFeed<TriggerRow>({ topic: EVENT_TRIGGER_TOPIC, read: readTriggers });

async function readTriggers(ctx: Ctx, keys: FeedKey[]): Promise<Fed<TriggerRow>[]> {
  const { rows } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS}
    from unnest(${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.id)}::uuid[]) as k(project_id, id)
    join event_triggers t on t.project_id = k.project_id and t.id = k.id`.execute(ctx.db);
  return rows.map((value) => ({ project_id: value.project_id, id: value.id, version: value.status, value }));
}
