import type { RetentionEntry } from "../../platform/retention/retention-entry.ts";
import { removeDeletedWorkflows } from "./queries.ts";

export const workflowRetention: RetentionEntry[] = [
  // Their versions are deleted with them: no foreign key does it.
  { name: "deleted_workflows", page: 500, removePage: removeDeletedWorkflows },
];
