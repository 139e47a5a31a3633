export type WorkflowRunKey = { project_id: string; workflow_run_id: string };

export const WORKFLOW_RUN_TOPIC = "workflow-run";
