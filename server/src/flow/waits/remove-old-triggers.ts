import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { deleteTriggers } from "./delete-triggers.ts";

const PAGE = 500;

/** Deletes triggers that ended longer ago than EVENT_TRIGGER_RETENTION, a small page at a time. */
export async function removeOldTriggers(ctx: Ctx): Promise<boolean> {
  const secs = ctx.config.event_trigger_retention_secs;
  const deleted = await inTransaction(ctx, (tx) =>
    deleteTriggers(tx, sql`t.finished_at < clock() - ${secs} * interval '1 second'`, PAGE),
  );
  return deleted === PAGE;
}
