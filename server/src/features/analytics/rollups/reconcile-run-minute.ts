import { readRunSums, SUMMED } from "../../../flow/budget/run-sums.ts";
import { ERASED } from "../../../flow/runs/maintain/erase-run.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { COUNTED_DECISIONS, countDecisions, type Decision } from "./count-decisions.ts";
import { recountErrors } from "./count-errors.ts";
import { countRuns } from "./count-runs.ts";
import { setMinutes } from "./set-minutes.ts";
import { keepTime, type Tallies } from "./tallies.ts";

/** Transitions recounted per pass; of a minute with more, only the sums are checked. */
const MAX_TRANSITIONS = 50_000;

export type CheckedMinute = { project_id: string; from: string; to: string };

/**
 * With the cursor of the transitions locked, recounts a minute of a project's runs and their failures, and repairs
 * differences. Returns the number of rows that differed.
 */
export async function reconcileRunMinute(tx: Ctx & InTransaction, checked: CheckedMinute): Promise<number> {
  const { project_id, from, to } = checked;
  const log = sql`(
    select l.* from run_history l
    where l.project_id = ${project_id} and l.created_at >= ${from}::timestamptz and l.created_at < ${to}::timestamptz
  ) l`;
  const { areKept, areWhole } = await readCompleteness(tx, log);
  const minute = { from, to, projects: [project_id] };
  if (!areKept) return 0;
  const found: Tallies = new Map();
  await countRuns(found, await readRunSums(tx, log), tx.watch.nowMs());
  const repaired = await setMinutes(tx, { ...minute, series: "runs", found });
  if (!areWhole) return repaired;
  const failures: Tallies = new Map();
  await recountErrors(tx, failures, log);
  return repaired + (await setMinutes(tx, { ...minute, series: "errors", found: failures }));
}

/**
 * Skips a minute with too many transitions or with a removed run, and skips failures if a message was erased: their
 * counts stay as they are.
 */
async function readCompleteness(tx: Ctx & InTransaction, log: Sql) {
  const { rows } = await sql<{ transitions: number; gone: number; erased: number }>`
    select count(*)::int as transitions, count(*) filter (where not exists (
        select 1 from runs r where r.project_id = l.project_id and r.id = l.run_id offset 0))::int as gone,
      count(*) filter (where l.detail -> 'error' ->> 'message' = ${ERASED})::int as erased
    from (
      select l.project_id, l.run_id, l.detail from ${log} where ${SUMMED} limit ${MAX_TRANSITIONS + 1}
    ) l`.execute(tx.db);
  const { transitions = 0, gone = 0, erased = 0 } = rows[0] ?? {};
  return { areKept: transitions <= MAX_TRANSITIONS && gone === 0, areWhole: erased === 0 };
}

/** Decisions recounted per pass; of a minute with more, only the sums are checked. */
const MAX_DECISIONS = 20_000;

/**
 * With the cursor of the decisions locked, recounts a minute of a project's workflow runs, and repairs differences.
 * Returns the number of rows that differed. A migrated run was counted under its version of that time, which is unknown
 * now, so the versions of its minute stay as they are.
 */
export async function reconcileWorkflowMinute(tx: Ctx & InTransaction, checked: CheckedMinute): Promise<number> {
  const { project_id, from, to } = checked;
  if (!(await isCountable(tx, checked))) return 0;
  const decisions = await listDecisions(tx, checked);
  if (decisions.length > MAX_DECISIONS) return 0;
  const found: Tallies = new Map();
  await countDecisions(tx, found, decisions);
  keepTime(found, Date.parse(from), Date.parse(to));
  const splits = decisions.some(({ was_migrated }) => was_migrated) ? { splits: ["all", "workflow"] } : {};
  return setMinutes(tx, { series: "workflows", from, to, found, projects: [project_id], ...splits });
}

/** Skips a minute with a run that may be removed, or whose status was erased: its counts stay as they are. */
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

/** The decisions of the minute, and the first decision, at any time, of each run created in it. */
async function listDecisions(
  { db }: Ctx & InTransaction,
  { project_id, from, to }: CheckedMinute,
): Promise<(Decision & { was_migrated: boolean })[]> {
  const { rows } = await sql<Decision & { was_migrated: boolean }>`
    with counted as materialized (
      select l.project_id, l.workflow_run_id, l.ordinal, l.decision_type, l.detail, l.created_at
      from ${decidedIn(from, to)} l
      where l.project_id = ${project_id} and ${COUNTED_DECISIONS}
      union
      select l.* from (
        select w.project_id, w.id, w.created_at from workflow_runs w
        where w.project_id is not null and w.created_at >= ${from}::timestamptz and w.created_at < ${to}::timestamptz offset 0
      ) w
      cross join lateral (
        select l.project_id, l.workflow_run_id, l.ordinal, l.decision_type, l.detail, l.created_at
        from workflow_decisions l
        where l.project_id = w.project_id and l.workflow_run_id = w.id and l.ordinal = 1
          and l.created_at >= w.created_at - interval '1 day' offset 0
      ) l
      where w.project_id = ${project_id}
    )
    select c.*, null as position, exists (
      select 1 from workflow_decisions m
      where m.project_id = c.project_id and m.workflow_run_id = c.workflow_run_id and m.decision_type = 'migrate' offset 0
    ) as was_migrated
    from counted c order by c.created_at, c.workflow_run_id, c.ordinal limit ${MAX_DECISIONS + 1}`.execute(db);
  return rows;
}

/** By time only, which reads a few pages: by project, a large one would be read from its beginning. */
function decidedIn(from: string, to: string): Sql {
  return sql`(
    select d.* from workflow_decisions d
    where d.project_id is not null and d.created_at >= ${from}::timestamptz and d.created_at < ${to}::timestamptz offset 0)`;
}
