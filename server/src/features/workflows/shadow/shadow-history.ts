import type { WorkflowRunStatus } from "../../../flow/runs/states.ts";
import type { WorkflowDefinition } from "../../../flow/workflows/plan/definition.ts";
import { indexGraph } from "../../../flow/workflows/plan/graph-index.ts";
import { findWorkflowVersion } from "../../../flow/workflows/start/workflow-version.ts";
import {
  durationOf,
  type Medians,
  type RecordedRun,
  type RecordedStep,
} from "../../../flow/workflows/versions/recorded-run.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";

/** A run to be replayed, of this installation or from a capsule. */
export type Historic = {
  workflow_run_id: string;
  capsule_id: string | null;
  version: number;
  recorded: RecordedRun;
};

/** The named ones, or all; newest first. */
export async function listEndedRuns(
  ctx: ProjectCtx,
  workflow_id: string,
  named: readonly string[] | undefined,
  max: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from workflow_runs w
    where w.project_id = ${ctx.project_id} and w.workflow_id = ${workflow_id} and w.finished_at is not null
      and ${visible(ctx, "workflow_runs", "w")} ${named ? sql`and w.id = any(${named}::uuid[])` : sql``}
    order by w.id desc limit ${max}`.execute(ctx.db);
  return rows.map(({ id }) => id);
}

/** Medians of the completed steps in these runs. Runs of this installation take precedence over capsules. */
export async function readMedians(
  ctx: ProjectCtx,
  ids: readonly string[],
  capsules: readonly Historic[],
): Promise<Medians> {
  const medians = new Map(mediansOf(capsules));
  if (ids.length === 0) return medians;
  const { rows } = await sql<{ step_ref: string; duration_ms: number; cost_microusd: number }>`
    select s.step_ref,
      percentile_cont(0.5) within group (order by greatest(extract(epoch from s.finished_at - s.started_at), 0))::float8
        * 1000 as duration_ms,
      percentile_cont(0.5) within group (order by coalesce(r.cost_microusd, 0))::float8 as cost_microusd
    from step_runs s left join runs r on r.project_id = s.project_id and r.id = s.run_id
    where s.project_id = ${ctx.project_id} and s.workflow_run_id = any(${ids}::uuid[]) and s.status = 'completed'
      and s.started_at is not null
    group by s.step_ref`.execute(ctx.db);
  for (const { step_ref, duration_ms, cost_microusd } of rows) {
    medians.set(step_ref, { duration_ms: Math.round(duration_ms), cost_microusd: Math.round(cost_microusd) });
  }
  return medians;
}

function* mediansOf(
  capsules: readonly Historic[],
): Generator<[string, { duration_ms: number; cost_microusd: number }]> {
  const refs = new Set(capsules.flatMap(({ recorded }) => [...recorded.steps.keys()]));
  for (const ref of refs) {
    const completed = capsules.flatMap(({ recorded }) => recorded.steps.get(ref) ?? []).filter(isCompleted);
    if (completed.length === 0) continue;
    const duration_ms = middle(completed.map((step) => durationOf(step) ?? 0));
    yield [ref, { duration_ms, cost_microusd: middle(completed.map((step) => step.cost_microusd)) }];
  }
}

function isCompleted({ status }: RecordedStep): boolean {
  return status === "completed";
}

function middle(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return Math.round((low + high) / 2);
}

type HistoryRow = {
  id: string;
  version: number;
  version_id: string;
  status: WorkflowRunStatus;
  payload: unknown;
  steps: (RecordedStep & { step_ref: string })[] | null;
};

/** Newest first, in one statement, with only the outputs that the candidate can read. */
export async function readHistory(
  ctx: ProjectCtx,
  ids: readonly string[],
  candidate: WorkflowDefinition,
): Promise<Historic[]> {
  const reads = new Set(indexGraph(candidate).order.flatMap((node) => node.reads));
  const { rows } = await sql<HistoryRow>`
    select w.id, w.version, w.version_id, w.status, w.payload, t.steps
    from workflow_runs w, lateral (
      select json_agg(json_build_object('step_ref', s.step_ref, 'type', s.type, 'status', s.status, 'error', s.error,
        'output', case when s.step_ref = any(${[...reads]}::text[]) then s.output end, 'cause', s.cause,
        'dispatched', s.run_id is not null or s.event_trigger_id is not null,
        'started_ms', (extract(epoch from s.started_at - coalesce(w.started_at, w.created_at)) * 1000)::bigint,
        'ended_ms', (extract(epoch from s.finished_at - coalesce(w.started_at, w.created_at)) * 1000)::bigint,
        'cost_microusd', coalesce(r.cost_microusd, 0)) order by s.position) as steps
      from step_runs s left join runs r on r.project_id = s.project_id and r.id = s.run_id
      where s.project_id = w.project_id and s.workflow_run_id = w.id
    ) t
    where w.project_id = ${ctx.project_id} and w.id = any(${ids}::uuid[])
    order by w.id desc`.execute(ctx.db);
  return Promise.all(rows.map((row) => toHistoric(ctx, row)));
}

async function toHistoric(ctx: ProjectCtx, row: HistoryRow): Promise<Historic> {
  const { id: workflow_run_id, version, version_id, status, payload } = row;
  const { definition } = await findWorkflowVersion(ctx, ctx.project_id, version_id);
  const steps = new Map((row.steps ?? []).map(({ step_ref, ...step }) => [step_ref, step]));
  return { workflow_run_id, capsule_id: null, version, recorded: { definition, payload, status, steps } };
}
