import { type Sql, sql } from "../../../platform/database/sql.ts";
import type { TraceContext } from "../../../platform/trace-context.ts";

/**
 * A run under a lease of this instance. JSON stays the text the database returned: it is forwarded without being
 * parsed.
 */
export type ClaimedRun = {
  project_id: string;
  run_id: string;
  job_id: string;
  job_slug: string;
  job_version_id: string;
  environment_id: string;
  host: string;
  attempt: number;
  tries_used: number;
  crash_count: number;
  max_attempts: number;
  timeout_secs: number;
  payload: string;
  metadata: string;
  tags: string;
  checkpoint: string | null;
  state: string | null;
  scheduled_at: string;
  deadline: string;
  workflow_run_id: string | null;
  step_ref: string | null;
  parent_outputs: string | null;
  /** How many waits it has opened so far. */
  waits: number;
  traceparent: TraceContext | null;
  lease_token: string;
  /** The concurrency counters in which it holds a slot; null for most. */
  slots: string[] | null;
};

/** The columns of a run under a lease. JSON as text, which a second cast leaves as it is. */
export function claimedColumns(table: string): Sql {
  const column = (name: string) => sql`${sql.ref(`${table}.${name}`)}${AS_TEXT.has(name) ? sql`::text` : sql``}`;
  return sql.join(CLAIMED.map(column));
}

const AS_TEXT = new Set(["payload", "metadata", "tags", "checkpoint", "state", "parent_outputs"]);
const CLAIMED = [
  ...["job_version_id", "environment_id", "attempt", "tries_used", "crash_count", "max_attempts", "timeout_secs"],
  ...["scheduled_at", "workflow_run_id", "step_ref", "waits", "traceparent"],
  ...AS_TEXT,
];
