import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import type { RemovedPage } from "../../../platform/retention/retention-entry.ts";
import { deleteTriggers } from "./delete-triggers.ts";

/** Deletes triggers that ended longer ago than EVENT_TRIGGER_RETENTION, and adjusts the counts with them. */
export async function removeOldTriggers(ctx: Ctx, page: number): Promise<RemovedPage> {
  const secs = ctx.config.event_trigger_retention_secs;
  const removed = await inTransaction(ctx, (tx) =>
    deleteTriggers(tx, sql`t.finished_at < clock() - ${secs} * interval '1 second'`, page),
  );
  return { removed, more: removed === page };
}
