import type { Workflow } from "@millrace/contract/workflows/workflows";

type WrittenByService =
  | "id"
  | "project_id"
  | "version"
  | "version_id"
  | "current_version"
  | "canary_id"
  | "active_runs_on_previous_version"
  | "previous_version_id"
  | "inactive_version_id"
  | "created_by"
  | "created_by_id"
  | "created_at"
  | "updated_at";

/** All fields of a workflow that a caller sets. */
export type WorkflowSettings = Omit<Workflow, WrittenByService>;
export type WorkflowSetting = keyof WorkflowSettings;

/** Fields that define how a run is executed: versions contain them, and changing one creates a new version. */
export const BEHAVIOR: readonly WorkflowSetting[] = ["steps", "timeout_secs", "max_parallel_steps", "payload_schema"];

export const TIMES: readonly WorkflowSetting[] = ["cron", "timezone", "cron_overlap_policy"];
