import { consumeChanges } from "../../platform/changelog/consume-changes.ts";
import { decisions, type LogRange, runChanges } from "../../platform/changelog/log-range.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { publishRuns } from "./publish-runs.ts";
import { publishWorkflowRuns } from "./publish-workflow-runs.ts";
import type { Decision, Transition } from "./run-event-types.ts";

export const WEBHOOKS_CONSUMER = "publish-webhooks";

/** Changes per pass, wanted or not: a few tens of milliseconds. */
const MAX_CHANGES = 2_000;

/** Inserts deliveries of run and workflow run events for their subscribers. True: there is more. */
export function publishChanges(ctx: Ctx): Promise<boolean> {
  return consumeChanges(ctx, { name: WEBHOOKS_CONSUMER, max: MAX_CHANGES, take: publish });
}

async function publish(tx: Ctx & InTransaction, range: LogRange): Promise<void> {
  const transitions = range.kinds.has("run") ? await readTransitions(tx, range) : [];
  const decided = range.kinds.has("workflow_run") ? await readDecisions(tx, range) : [];
  if (transitions.length > 0) await publishRuns(tx, transitions);
  if (decided.length > 0) await publishWorkflowRuns(tx, decided);
}

/**
 * Whether a row `l` may have subscribers. Costs two lookups in a small index, and the log is not read while the whole
 * service has no subscription.
 */
export const IS_SUBSCRIBED = sql`(select exists (select 1 from webhook_subscriptions s where s.enabled))
  and l.project_id = any(array(select s.project_id from webhook_subscriptions s where s.enabled))`;

async function readTransitions(tx: Ctx & InTransaction, range: LogRange): Promise<Transition[]> {
  const { rows } = await sql<Transition>`
    /* prepared */
    select l.*, t.detail from ${runChanges(range)} cross join lateral (
      select t.detail from run_history t
      where t.project_id = l.project_id and t.run_id = l.run_id and t.ordinal = l.ordinal and t.created_at = l.created_at
      offset 0
    ) t
    where ${IS_SUBSCRIBED} order by l.position, l.ordinal`.execute(tx.db);
  return rows;
}

async function readDecisions(tx: Ctx & InTransaction, range: LogRange): Promise<Decision[]> {
  const { rows } = await sql<Decision>`
    /* prepared */
    select l.* from ${decisions(range)} where ${IS_SUBSCRIBED} order by l.position, l.ordinal`.execute(tx.db);
  return rows;
}
