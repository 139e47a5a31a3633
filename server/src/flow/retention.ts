import { WORKER_GONE_SECS } from "@millrace/contract/workers/workers";
import type { Ctx } from "../platform/context.ts";
import { type RetentionEntry, secsAgo } from "../platform/retention/retention-entry.ts";
import { removeOldRuns } from "./runs/maintain/remove-old-runs.ts";
import { removeOldTriggers } from "./waits/purge-triggers.ts";
import { removeOldWorkflowRuns } from "./workflows/maintain/remove-old-workflow-runs.ts";

const afterRuns = ({ config }: Ctx) => secsAgo(config.run_retention_secs);
const afterTriggers = ({ config }: Ctx) => secsAgo(config.event_trigger_retention_secs);

/** Transitions of runs and decisions about workflow runs are not here: their partitions are dropped (`partitions.ts`). */
export const flowRetention: RetentionEntry[] = [
  // The rows of other tables that belong to a run are deleted with it.
  { name: "runs", page: 500, removePage: removeOldRuns },
  // Map items are deleted in pages of their own before their workflow run.
  { name: "workflow_runs", page: 100, removePage: removeOldWorkflowRuns },
  // The counts of triggers change in the same transaction.
  { name: "event_triggers", page: 500, removePage: removeOldTriggers },
  { name: "buffered_events", table: "buffered_events", expiresAt: "expires_at", page: 1_000 },
  { name: "idempotency_keys", table: "idempotency_keys", expiresAt: "expires_at", page: 500 },
  // Fired times are kept as long as the runs they started.
  { name: "schedule_fires", table: "schedule_fires", at: "created_at", before: afterRuns, page: 5_000 },
  { name: "source_events", table: "source_events", at: "created_at", before: afterTriggers, page: 500 },
  { name: "source_event_ids", table: "source_event_ids", expiresAt: "expires_at", page: 500 },
  { name: "workers", table: "workers", at: "last_seen_at", before: () => secsAgo(WORKER_GONE_SECS), page: 500 },
  // Counts of trees that no longer grow.
  { name: "run_trees", table: "run_trees", at: "updated_at", before: afterTriggers, page: 500 },
];
