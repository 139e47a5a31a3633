import { MigrateRuns, RunsMigration } from "@millrace/contract/workflows/migrate-runs";
import {
  ActiveVersionList,
  ListActiveVersionsQuery,
  PlanWorkflow,
  SimulateWorkflow,
  type StepImpact,
  VersionImpact,
  WorkflowDiff,
  WorkflowPlan,
  WorkflowSimulation,
} from "@millrace/contract/workflows/workflow-versions";
import { Workflow } from "@millrace/contract/workflows/workflows";
import { type ComparedVersion, diffDefinitions } from "../../../flow/workflows/plan/diff-definitions.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { inSlices } from "../../../platform/time-slices.ts";
import { refuseDuringCanary } from "../canaries/canary-queries.ts";
import { planWorkflow } from "../plan/plan-workflow.ts";
import { simulateWorkflow } from "../plan/simulate-workflow.ts";
import { getWorkflow, lockWorkflow } from "../queries.ts";
import { refuseBeyondKey } from "../validate/references.ts";
import { planSemanticValidation } from "../validate/semantic-validation.ts";
import { updateWorkflowRow } from "../write-workflow.ts";
import { deployVersion } from "./deploy-version.ts";
import { migrateRuns } from "./migrate-runs.ts";
import { reportReplaced } from "./replaced-version.ts";
import {
  countImpact,
  findVersion,
  getWorkflowVersion,
  listActiveVersions as listRows,
  type VersionRow,
} from "./version-queries.ts";

const MAX_SAMPLED = 1_000;
const MAX_WITH_STEPS = 200;

/** Returns how many of the newest runs that the caller may see are on the version, and the outcomes of their steps. */
async function getImpact(ctx: ProjectCtx, ref: string, version_id: string): Promise<Omit<VersionImpact, "$schema">> {
  const version = await getWorkflowVersion(ctx, ref, version_id);
  const { workflow_id, id, version: number } = version;
  const [impact, { of_runs, steps }] = await Promise.all([
    countImpact(ctx, version, MAX_SAMPLED),
    readStepImpact(ctx, version, MAX_WITH_STEPS),
  ]);
  return { workflow_id, version_id: id, version: number, ...impact, steps_of_runs: of_runs, steps };
}

const foundBy = { table: "workflows", param: "workflowID" } as const;

export const workflowVersionRoutes: Route[] = [
  projectRoute("POST /v1/workflows/{workflowID}/versions/{versionID}/activate", {
    summary: "Activate a stored version for new runs",
    scope: "workflows:write",
    foundBy,
    response: Workflow,
    errors: ["canary_active", "policy_violated", "same_author"],
    run: (ctx, { params }) => activateVersion(ctx, params.workflowID, params.versionID),
  }),
  projectRoute("GET /v1/workflows/{workflowID}/active-versions", {
    summary: "List the versions with active runs, and how many each has",
    scope: "workflows:read",
    foundBy,
    query: ListActiveVersionsQuery,
    response: ActiveVersionList,
    run: (ctx, { params, query }) => listActiveVersions(ctx, params.workflowID, query),
  }),
  projectRoute("POST /v1/workflows/{workflowID}/plan", {
    summary: "Plan the order of a workflow's steps, or of given ones; changes nothing",
    scope: "workflows:read",
    foundBy,
    body: PlanWorkflow,
    semanticValidation: planSemanticValidation,
    response: WorkflowPlan,
    run: (ctx, { params, body }) => planWorkflow(ctx, params.workflowID, body),
  }),
  projectRoute("POST /v1/workflows/{workflowID}/simulate", {
    summary: "Simulate a run with a payload and assumed outcomes; starts nothing",
    scope: "workflows:read",
    foundBy,
    body: SimulateWorkflow,
    response: WorkflowSimulation,
    errors: ["payload_invalid"],
    run: (ctx, { params, body }) => simulateWorkflow(ctx, params.workflowID, body),
  }),
  projectRoute("GET /v1/workflows/{workflowID}/versions/{fromVersionID}/diff/{toVersionID}", {
    summary: "Compare two versions of a workflow",
    scope: "workflows:read",
    foundBy,
    response: WorkflowDiff,
    run: (ctx, { params }) => diffVersions(ctx, params),
  }),
  projectRoute("GET /v1/workflows/{workflowID}/versions/{versionID}/impact", {
    summary: "Count how many of the newest runs are on a version",
    scope: "workflows:read",
    foundBy,
    response: VersionImpact,
    run: (ctx, { params }) => getImpact(ctx, params.workflowID, params.versionID),
  }),
];

async function listActiveVersions(ctx: ProjectCtx, ref: string, query: ListActiveVersionsQuery) {
  const { id } = await getWorkflow(ctx, ref);
  const page = readPage(ctx, `active versions of ${id}`, query, "v");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, id, page));
  return { ...rest, data: data.map(({ id: _, ...version }) => version) };
}

export const migrateRunsRoutes: Route[] = [
  projectRoute("POST /v1/workflows/{workflowID}/migrate-runs", {
    summary: "Migrate runs in flight to another version, or preview the migration",
    scope: "workflows:write",
    foundBy: { table: "workflows", param: "workflowID" },
    body: MigrateRuns,
    response: RunsMigration,
    run: (ctx, { params, body }) => migrateRuns(ctx, params.workflowID, body),
  }),
];

type VersionPair = { workflowID: string; fromVersionID: string; toVersionID: string };

async function diffVersions(ctx: ProjectCtx, pair: VersionPair): Promise<Omit<WorkflowDiff, "$schema">> {
  const from = await getWorkflowVersion(ctx, pair.workflowID, pair.fromVersionID);
  const to = await getWorkflowVersion(ctx, pair.workflowID, pair.toVersionID);
  return {
    workflow_id: from.workflow_id,
    from_version_id: from.id,
    from_version: from.version,
    to_version_id: to.id,
    to_version: to.version,
    ...(await inSlices(diffDefinitions(from as ComparedVersion, to as ComparedVersion))),
  };
}

/** Makes a stored version the one that new runs use. Runs in flight keep theirs. */
async function activateVersion(ctx: ProjectCtx, ref: string, version_id: string): Promise<Workflow> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockWorkflow(tx, ref);
    if (!before) throw notFound("workflow");
    refuseBeyondKey(tx, before.environment_id);
    const version = await findVersion(tx, before.id, version_id);
    if (!version) throw notFound("version of the workflow");
    if (version.id === before.version_id) return before;
    await refuseDuringCanary(tx, before, "Promote it or roll it back first.");
    await deployVersion(tx, version);
    await updateWorkflowRow(tx, { ...before, version_id: version.id, current_version: version.version });
    const after = await getWorkflow(tx, before.id);
    await recordAudit(tx, {
      action: "workflow.version_activated",
      resource_type: "workflow",
      resource_id: before.id,
      before,
      after,
    });
    return { ...after, ...(await reportReplaced(tx, before, after, version.breaking_change)) };
  });
}

type ReadImpact = { of_runs: number; steps: StepImpact[] };
type Row = Omit<StepImpact, "durations"> & { of_runs: number; took: number[] | null };

/**
 * The outcome and duration of each step in the newest runs of a version: reads the runs first, then their steps by key.
 */
async function readStepImpact(ctx: ProjectCtx, version: VersionRow, max: number): Promise<ReadImpact> {
  const { rows } = await sql<Row>`
    with sampled as materialized (
      select r.id from workflow_runs r
      where r.project_id = ${ctx.project_id} and r.version_id = ${version.id} and ${visible(ctx, "workflow_runs", "r")}
      order by r.id desc limit ${max}
    )
    select s.step_ref, min(s.type) as type, count(*)::int as of_runs,
      count(*) filter (where s.started_at is not null)::int as reached,
      count(*) filter (where s.status = 'completed')::int as completed,
      count(*) filter (where s.status = 'failed')::int as failed,
      count(*) filter (where s.started_at is not null and s.finished_at is null)::int as open,
      count(*) filter (where s.status = 'skipped')::int as skipped,
      count(*) filter (where s.status = 'canceled')::int as canceled,
      percentile_cont(array[0.05, 0.25, 0.5, 0.75, 0.95]) within group
        (order by extract(epoch from s.finished_at - s.started_at)::float8 * 1000)
        filter (where s.status = 'completed' and s.started_at is not null) as took
    from sampled w, lateral (
      select s.step_ref, s.type, s.status, s.position, s.started_at, s.finished_at from step_runs s
      where s.project_id = ${ctx.project_id} and s.workflow_run_id = w.id offset 0
    ) s
    group by s.step_ref order by min(s.position)`.execute(ctx.db);
  const steps = rows.map(({ of_runs: _, took, ...step }) => ({ ...step, durations: durationsOf(took) }));
  return { of_runs: Math.max(0, ...rows.map(({ of_runs }) => of_runs)), steps };
}

/** Never negative, even if clocks were set back. */
function durationsOf(took: number[] | null): StepImpact["durations"] {
  if (took === null) return null;
  const [p5_ms = 0, p25_ms = 0, p50_ms = 0, p75_ms = 0, p95_ms = 0] = took.map((ms) => Math.max(0, Math.round(ms)));
  return { p5_ms, p25_ms, p50_ms, p75_ms, p95_ms };
}
