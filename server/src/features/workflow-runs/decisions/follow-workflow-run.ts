import type { WorkflowRunState } from "@millrace/contract/workflow-runs";
import { WORKFLOW_RUN_TOPIC } from "../../../flow/workflows/workflow-run-key.ts";
import { readDeniedRuns } from "../../../platform/access/policies/denied-runs.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import type { StreamSource } from "../../../platform/streams/event-stream.ts";
import { openFeed } from "../../../platform/streams/feed.ts";
import { getWorkflowRun } from "../get-workflow-run.ts";
import { readStates } from "../steps/state-queries.ts";

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
