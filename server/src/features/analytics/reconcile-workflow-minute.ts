import { type RawBuilder, sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import type { CheckedMinute } from "./reconcile-run-minute.ts";
import { setMinutes } from "./set-minutes.ts";
import { COUNTED_DECISIONS, type Decision, takeDecisions } from "./take-decisions.ts";
import { keepTime, type Tallies } from "./tallies.ts";

/** So many decisions are counted anew in one turn; a minute that holds more is judged by its sums alone. */
const MOST = 20_000;

/**
 * Under the place of who follows the decisions: counts a minute of the workflow runs of a project anew, and puts right what
 * differs. Answers how many rows did. A run that was migrated was counted as of the version that it had then, which nobody
 * knows any more: the versions of its minute are left as they are.
 */
export async function reconcileWorkflowMinute(tx: Ctx & InTransaction, checked: CheckedMinute): Promise<number> {
  const { project_id, from, to } = checked;
  if (!(await isCountable(tx, checked))) return 0;
  const decisions = await listDecisions(tx, checked);
  if (decisions.length > MOST) return 0;
  const found: Tallies = new Map();
  await takeDecisions(tx, found, decisions);
  keepTime(found, Date.parse(from), Date.parse(to));
  const splits = decisions.some(({ was_migrated }) => was_migrated) ? { splits: ["all", "workflow"] } : {};
  return setMinutes(tx, { series: "workflows", from, to, found, projects: [project_id], ...splits });
}

/** Not when a run of it may be removed, or was emptied of how it ended: what it was counted as stays. */
async function isCountable(
  { db, config }: Ctx & InTransaction,
  { project_id, from, to }: CheckedMinute,
): Promise<boolean> {
  const { rows } = await sql<{ is_kept: boolean; is_whole: boolean }>`
    select ${from}::timestamptz > clock() - ${config.workflow_run_retention_secs} * interval '1 second' as is_kept,
      not exists (
        select 1 from ${decidedIn(from, to)} l
        where l.project_id = ${project_id} and ${COUNTED_DECISIONS} and (l.decision_type = 'end' and l.detail is null or not exists (
            select 1 from workflow_runs w where w.project_id = l.project_id and w.id = l.workflow_run_id offset 0))
      ) as is_whole`.execute(db);
  const [found] = rows;
  return found?.is_kept === true && found.is_whole;
}

/** What was decided in the minute, and the first of what was decided for runs that were born in it, whenever that was. */
async function listDecisions(
  { db }: Ctx & InTransaction,
  { project_id, from, to, after_xid }: CheckedMinute,
): Promise<(Decision & { was_migrated: boolean })[]> {
  const { rows } = await sql<Decision & { was_migrated: boolean }>`
    with counted as materialized (
      select l.project_id, l.workflow_run_id, l.ordinal, l.decision_type, l.detail, l.created_at, l.xid
      from ${decidedIn(from, to)} l
      where l.project_id = ${project_id} and l.xid <= ${after_xid}::xid8 and ${COUNTED_DECISIONS}
      union
      select l.* from (
        select w.project_id, w.id, w.created_at from workflow_runs w
        where w.project_id is not null and w.created_at >= ${from}::timestamptz and w.created_at < ${to}::timestamptz offset 0
      ) w
      cross join lateral (
        select l.project_id, l.workflow_run_id, l.ordinal, l.decision_type, l.detail, l.created_at, l.xid
        from workflow_decisions l
        where l.project_id = w.project_id and l.workflow_run_id = w.id and l.ordinal = 1
          and l.created_at >= w.created_at - interval '1 day' and l.xid <= ${after_xid}::xid8 offset 0
      ) l
      where w.project_id = ${project_id}
    )
    select c.*, exists (
      select 1 from workflow_decisions m
      where m.project_id = c.project_id and m.workflow_run_id = c.workflow_run_id and m.decision_type = 'migrate' offset 0
    ) as was_migrated
    from counted c order by c.xid, c.created_at limit ${MOST + 1}`.execute(db);
  return rows;
}

/** By the time alone, which finds a few pages: a large project would be read from its beginning. */
function decidedIn(from: string, to: string): RawBuilder<unknown> {
  return sql`(
    select d.* from workflow_decisions d
    where d.project_id is not null and d.created_at >= ${from}::timestamptz and d.created_at < ${to}::timestamptz offset 0)`;
}
