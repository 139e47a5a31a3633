import { reconcileWorkflows } from "../../flow/workflows/maintain/reconcile-workflows.ts";
import { HAS_LATE_WORKFLOW_RUNS, timeOutWorkflowRuns } from "../../flow/workflows/maintain/time-out-workflow-runs.ts";
import { HAS_DUE_WORKFLOW_RUNS, startDueRuns } from "../../flow/workflows/start/start-due-runs.ts";
import { skippedWorkflows } from "../../flow/workflows/start/start-waiting.ts";
import { WORKFLOWS_DUE_TOPIC } from "../../flow/workflows/workflow-run-changes.ts";
import type { Task } from "../../platform/task.ts";
import { finishBulkCancels } from "./bulk-cancel.ts";

export const workflowRunTasks: Task[] = [
  {
    name: "start-due-workflow-runs",
    everyMs: 500,
    oneInstance: false,
    wakeOn: WORKFLOWS_DUE_TOPIC,
    hasWork: HAS_DUE_WORKFLOW_RUNS,
    hasWorkHere: (ctx) => skippedWorkflows(ctx).size > 0,
    runOnce: startDueRuns,
  },
  {
    name: "time-out-workflow-runs",
    everyMs: 500,
    oneInstance: false,
    hasWork: HAS_LATE_WORKFLOW_RUNS,
    runOnce: timeOutWorkflowRuns,
  },
  { name: "reconcile-workflows", everyMs: 30_000, oneInstance: true, runOnce: reconcileWorkflows },
  { name: "finish-bulk-cancels", everyMs: 30_000, oneInstance: true, runOnce: finishBulkCancels },
];
