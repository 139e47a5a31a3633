import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import { findForgotten } from "./find-forgotten.ts";
import { recountTriggers } from "./recount-triggers.ts";
import { repairForgotten } from "./repair-forgotten.ts";
import { repairStranded } from "./repair-stranded.ts";
import { resolveDueTriggers } from "./resolve-due-triggers.ts";

const PAGE = 1_000;

/**
 * The reconciliation of waits: ends those that a timer has missed, continues runs and steps whose wait has ended or is
 * gone, and repairs counts. In a correct system it finds nothing to repair; repairs are logged and counted.
 */
export async function reconcileTriggers(ctx: Ctx): Promise<boolean> {
  await resolveDueTriggers(ctx);
  const hasMore = await removeExpiredEvents(ctx);
  const { resumed, ended } = await repairForgotten(ctx, await findForgotten(ctx));
  const stranded = await repairStranded(ctx);
  const recounted = await recountTriggers(ctx);
  const repairs = {
    waits_resumed: resumed,
    waits_ended: ended,
    waits_stranded: stranded,
    triggers_recounted: recounted,
  };
  for (const [kind, count] of Object.entries(repairs)) ctx.metrics.repairs.inc({ kind }, count);
  if (resumed + ended + stranded + recounted > 0) ctx.log.error(repairs, "waits were inconsistent; repaired");
  return hasMore;
}

/** Buffered events that expired before a wait came. */
async function removeExpiredEvents(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql`
    with expired as materialized (
      select project_id, id from buffered_events where expires_at <= clock()
      order by expires_at limit ${PAGE} for update skip locked
    )
    delete from buffered_events b using expired e where b.project_id = e.project_id and b.id = e.id
    returning 1`.execute(ctx.db);
  return rows.length === PAGE;
}
