import type { WorkflowRunState } from "@millrace/contract/workflow-runs";
import { sql } from "kysely";
import { STEP_RUN_OUTLINE } from "../../../flow/workflows/step-run-columns.ts";
import { WORKFLOW_RUN_OUTLINE } from "../../../flow/workflows/workflow-run-columns.ts";
import type { Ctx } from "../../../platform/context.ts";
import { groupBy } from "../../../platform/group-by.ts";
import type { Fed, FeedKey } from "../../../platform/streams/feed.ts";

type RunState = WorkflowRunState["run"];
type StepState = WorkflowRunState["steps"][number];

/**
 * Workflow runs with their steps, without payloads and outputs, because all of it is sent at each change. Steps are
 * read after the runs, so that the steps of an ended run have ended, too.
 */
export async function readStates(ctx: Ctx, keys: FeedKey[]): Promise<Fed<WorkflowRunState>[]> {
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
