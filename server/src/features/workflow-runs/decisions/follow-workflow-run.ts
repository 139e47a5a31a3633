import type { WorkflowRunState } from "@millrace/contract/workflows/workflow-runs";
import { STEP_RUN_OUTLINE } from "../../../flow/workflows/step-run-columns.ts";
import { WORKFLOW_RUN_TOPIC } from "../../../flow/workflows/workflow-run-changes.ts";
import { WORKFLOW_RUN_OUTLINE } from "../../../flow/workflows/workflow-run-columns.ts";
import { readDeniedRuns } from "../../../platform/access/policies/denied-runs.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import type { StreamSource } from "../../../platform/streams/event-stream.ts";
import { type Fed, type FeedKey, openFeed } from "../../../platform/streams/feed.ts";
import { getWorkflowRun } from "../queries.ts";

const feed = openFeed<WorkflowRunState>({ topic: WORKFLOW_RUN_TOPIC, read: readStates });

/** Sends `status` with the run and its steps at once and at each change, until the run has ended. */
export async function followWorkflowRun(ctx: ProjectCtx, id: string): Promise<StreamSource> {
  const run = await getWorkflowRun(ctx, id);
  const isDeniedAny = (await readDeniedRuns(ctx)) !== undefined;
  return (stream) =>
    feed.watch(ctx, { project_id: run.project_id, id: run.id }, (state) => {
      if (state) stream.send("status", isDeniedAny ? withoutErrors(state) : state);
      if (!state || state.run.finished_at !== null) stream.end();
    });
}

/** If some runs are denied to the caller, errors are left out; GET of the step returns the permitted ones. */
function withoutErrors({ run, steps }: WorkflowRunState): WorkflowRunState {
  return {
    run: { ...run, error: null },
    steps: steps.map((step) => ({ ...step, error: null, compensation_error: null })),
  };
}

type RunState = WorkflowRunState["run"];
type StepState = WorkflowRunState["steps"][number];

/**
 * Workflow runs with their steps, without payloads and outputs, because all of it is sent at each change. Steps are
 * read after the runs, so that the steps of an ended run have ended, too.
 */
async function readStates(ctx: Ctx, keys: FeedKey[]): Promise<Fed<WorkflowRunState>[]> {
  const runs = await readRuns(ctx, keys);
  const steps = groupBy(await readSteps(ctx, keys), (step) => step.workflow_run_id);
  return runs.map((run) => stateOf(run, steps.get(run.id) ?? []));
}

function stateOf(run: RunState, steps: StepState[]): Fed<WorkflowRunState> {
  const { project_id, id, status, updated_at } = run;
  const version = [status, updated_at, ...steps.map((step) => `${step.status} ${step.generation}`)].join();
  return { project_id, id, version, value: { run, steps } };
}

async function readRuns(ctx: Ctx, keys: FeedKey[]): Promise<RunState[]> {
  const { rows } = await sql<RunState>`
    select ${WORKFLOW_RUN_OUTLINE}
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(project_id uuid, id uuid), lateral (
      select * from workflow_runs w where w.project_id = k.project_id and w.id = k.id
    ) w`.execute(ctx.db);
  return rows;
}

async function readSteps(ctx: Ctx, keys: FeedKey[]): Promise<StepState[]> {
  const { rows } = await sql<StepState>`
    select ${STEP_RUN_OUTLINE}
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(project_id uuid, id uuid), lateral (
      select * from step_runs s where s.project_id = k.project_id and s.workflow_run_id = k.id
    ) s
    order by s.position`.execute(ctx.db);
  return rows;
}
