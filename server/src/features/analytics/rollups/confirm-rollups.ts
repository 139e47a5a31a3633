import { SUMS_CONSUMER } from "../../../platform/changelog/consume-changes.ts";
import { hasNewChanges } from "../../../platform/changelog/has-new-changes.ts";
import type { Ctx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

const HAS_NEW_EVENTS = sql`(
  exists (select t.project_id from event_triggers t where t.created_at >= c.counted_to)
  or exists (select t.project_id from event_triggers t where t.finished_at >= c.counted_to and t.status <> 'waiting')
  or exists (select e.project_id from source_events e where e.created_at >= c.counted_to))`;

const HAS_NEW_ATTEMPTS = sql`exists (
  select p.id as project_id from projects p cross join lateral (
    select 1 from webhook_attempts a where a.project_id = p.id and a.started_at >= c.counted_to limit 1
  ) a)`;

/** There is something to count since the last recount, or there was none yet. */
export const HAS_EVENTS_TO_COUNT = sql`coalesce((
  select ${HAS_NEW_EVENTS} from log_cursors c where c.consumer = 'recount-events'), true)`;
export const HAS_ATTEMPTS_TO_COUNT = sql`coalesce((
  select ${HAS_NEW_ATTEMPTS} from log_cursors c where c.consumer = 'recount-webhooks'), true)`;

/**
 * Moves the time of the cursors that have nothing to count: analytics return it as the time of their data. One
 * statement, where a pass of each would take a lease and a transaction.
 */
export async function confirmRollups(ctx: Ctx): Promise<boolean> {
  await sql`
    /* prepared */
    update log_cursors set updated_at = clock() where consumer in (
      select c.consumer from log_cursors c
      where c.consumer = ${sql.lit(SUMS_CONSUMER)} and not ${hasNewChanges(SUMS_CONSUMER)}
        or c.consumer = 'recount-events' and not ${HAS_NEW_EVENTS}
        or c.consumer = 'recount-webhooks' and not ${HAS_NEW_ATTEMPTS}
      for update skip locked)`.execute(ctx.db);
  return false;
}
