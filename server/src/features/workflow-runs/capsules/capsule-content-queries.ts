import {
  MAX_CAPSULE_DECISIONS,
  MAX_CAPSULE_ITEMS,
  MAX_CAPSULE_LOGS,
  MAX_CAPSULE_RUNS,
} from "@millrace/contract/workflows/capsules";
import { RUN_COLUMNS, type RunRow } from "../../../flow/runs/run-columns.ts";
import { TRIGGER_COLUMNS, type TriggerRow } from "../../../flow/waits/find-trigger.ts";
import { redactChildren } from "../../../flow/waits/redact-children.ts";
import { findDeniedSteps, redactSteps } from "../../../flow/workflows/operate/redact-denied.ts";
import { STEP_RUN_COLUMNS, type StepRunRow } from "../../../flow/workflows/step-run-columns.ts";
import { readDeniedRuns } from "../../../platform/access/policies/denied-runs.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { HIDDEN_REASON } from "../decisions/decision-queries.ts";
import { itemResult } from "../steps/item-queries.ts";

/**
 * Contents of a workflow run. The caller has found the run, so access was checked. Each function runs one statement,
 * however many steps there are.
 */
type Exported = { id: string; created_at: string };
type Capped = { rows: object[]; left_out: number };

export async function listCapsuleSteps(ctx: ProjectCtx, workflow_run_id: string): Promise<StepRunRow[]> {
  const { rows } = await sql<StepRunRow>`
    select ${STEP_RUN_COLUMNS} from step_runs s
    where s.project_id = ${ctx.project_id} and s.workflow_run_id = ${workflow_run_id}
    order by s.position`.execute(ctx.db);
  return redactSteps(ctx, workflow_run_id, rows);
}

/** The first ones. The time excludes partitions from before the run; the day allows for clocks that were set back. */
export async function listCapsuleDecisions(ctx: ProjectCtx, run: Exported): Promise<Capped> {
  const reasonColumns = (await findDeniedSteps(ctx, [run.id])).length === 0 ? sql`reason, detail` : HIDDEN_REASON;
  const { rows } = await sql<Record<string, unknown> & { total: number }>`
    select ordinal, step_ref, decision_type, ${reasonColumns}, decided_by, decided_by_id, created_at,
      count(*) over ()::int as total
    from workflow_decisions
    where project_id = ${ctx.project_id} and workflow_run_id = ${run.id}
      and created_at >= ${run.created_at}::timestamptz - interval '1 day'
    order by ordinal limit ${MAX_CAPSULE_DECISIONS}`.execute(ctx.db);
  return capped(rows);
}

/** The last ones, oldest first. */
export async function listCapsuleLogs(ctx: ProjectCtx, run: Exported, run_ids: readonly string[]): Promise<Capped> {
  const { rows } = await sql<Record<string, unknown> & { total: number }>`
    select id, run_id, attempt, level, message, fields, logged_at, created_at, count(*) over ()::int as total
    from run_logs
    where project_id = ${ctx.project_id} and run_id = any(${run_ids}::uuid[])
      and created_at >= ${run.created_at}::timestamptz - interval '1 day'
    order by created_at desc, id desc limit ${MAX_CAPSULE_LOGS}`.execute(ctx.db);
  return capped(rows.toReversed());
}

function capped(rows: (Record<string, unknown> & { total: number })[]): Capped {
  const total = rows[0]?.total ?? 0;
  return { rows: rows.map(({ total: _, ...row }) => row), left_out: total - rows.length };
}

/** Its steps' job runs, of every generation. Those of map items are left out first. */
export async function listCapsuleRuns(
  ctx: ProjectCtx,
  workflow_run_id: string,
): Promise<{ runs: RunRow[]; left_out: number }> {
  const denied = await readDeniedRuns(ctx);
  const { rows } = await sql<RunRow & { total: number }>`
    select ${RUN_COLUMNS}, count(*) over ()::int as total from runs r
    where r.project_id = ${ctx.project_id} and r.workflow_run_id = ${workflow_run_id}
      ${denied ? sql`and not ${denied.run(sql`r.id`)}` : sql``}
    order by r.step_ref like '%]', r.id limit ${MAX_CAPSULE_RUNS}`.execute(ctx.db);
  const runs = rows.map(({ total: _, ...run }) => run as RunRow).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return { runs, left_out: (rows[0]?.total ?? 0) - rows.length };
}

/** The items of its maps, the first ones of each. */
export async function listCapsuleItems(ctx: ProjectCtx, workflow_run_id: string): Promise<Capped> {
  const { rows } = await sql<Record<string, unknown> & { total: number }>`
    select i.step_ref, i.item_index, i.generation, i.status, i.item, ${await itemResult(ctx)}, i.run_id,
      i.child_workflow_run_id, i.started_at, i.finished_at, i.created_at, i.updated_at, count(*) over ()::int as total
    from map_items i where i.project_id = ${ctx.project_id} and i.workflow_run_id = ${workflow_run_id}
    order by i.item_index, i.step_ref limit ${MAX_CAPSULE_ITEMS}`.execute(ctx.db);
  return capped(rows);
}

type OfRun = Record<string, unknown> & { run_id: string };

export async function listCapsuleTransitions(ctx: ProjectCtx, run_ids: readonly string[]): Promise<OfRun[]> {
  const { rows } = await sql<OfRun>`
    select run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at
    from run_history where project_id = ${ctx.project_id} and run_id = any(${run_ids}::uuid[])
    order by run_id, ordinal`.execute(ctx.db);
  return rows;
}

/**
 * An attempt is a claim and the transition after it, unless that was removed by age
 * (`features/runs/records/history.ts`).
 */
export async function listCapsuleAttempts(ctx: ProjectCtx, run_ids: readonly string[]): Promise<OfRun[]> {
  const { rows } = await sql<OfRun>`
    select run_id, attempt, created_at as started_at, finished_at, outcome, became as to_status,
      detail -> 'error' as error, (detail ->> 'http_status')::int as http_status
    from (
      select run_id, ordinal, attempt, to_status, created_at, first_value(created_at) over next as finished_at,
        first_value(cause) over next as outcome, first_value(to_status) over next as became,
        first_value(detail) over next as detail
      from run_history where project_id = ${ctx.project_id} and run_id = any(${run_ids}::uuid[])
      window next as (partition by run_id order by ordinal range between 1 following and 1 following)
    ) t
    where to_status = 'running' and (became is not null or ordinal = (
      select r.transition_count from runs r where r.project_id = ${ctx.project_id} and r.id = t.run_id))
    order by run_id, ordinal`.execute(ctx.db);
  return rows;
}

/** The waits of its steps and of their job runs. */
export async function listCapsuleEvents(
  ctx: ProjectCtx,
  workflow_run_id: string,
  run_ids: readonly string[],
): Promise<object[]> {
  const denied = await readDeniedRuns(ctx);
  const { rows } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS} from event_triggers t
    where t.project_id = ${ctx.project_id} and t.workflow_run_id = ${workflow_run_id}
      ${denied ? sql`and not ${denied.run(sql`t.job_run_id`)}` : sql``}
    union all
    select ${TRIGGER_COLUMNS} from event_triggers t
    where t.project_id = ${ctx.project_id} and t.workflow_run_id is null and t.job_run_id = any(${run_ids}::uuid[])
    order by id`.execute(ctx.db);
  return (await redactChildren(ctx, rows)).map(({ request_payload: _, ...row }) => row);
}
