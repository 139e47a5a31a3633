import type { Registry } from "prom-client";
import { type SnapshotGauge, snapshotGauge } from "./snapshot-gauge.ts";

/** Figures of the whole service, which engine instances read from the database for a scrape: name, help, labels. */
const STATE = {
  backlog_runs: ["Due runs that wait to start, by job.", "project", "job", "state"],
  backlog_oldest_seconds: ["Time since the oldest of them was due.", "project", "job", "state"],
  queue_depth: ["Due runs that wait to start, by named queue.", "project", "queue"],
  queue_oldest_seconds: ["Time since the oldest of them was due.", "project", "queue"],
  workers: ["Live workers that claim runs, over all projects."],
  endpoints_down: ["Hosts whose circuit is open, over all projects.", "cause"],
  workflow_runs_active: ["Workflow runs that have not ended."],
  workflow_runs_due: ["Workflow runs that are due and not blocked, but have not started."],
  workflow_runs_oldest_due_seconds: ["Time since the oldest of them was due."],
  workflow_runs_blocked: ["Workflow runs that wait for a slot of max_concurrent_runs."],
  waits: ["Waits for events, times, children and approvals."],
  waits_overdue_seconds: ["Time since the earliest wait that is over should have been resolved."],
  buffered_events: ["Events that arrived before a wait for them."],
  webhook_deliveries_pending: ["Webhook deliveries to be sent.", "state"],
  webhook_oldest_pending_seconds: ["Age of the oldest webhook delivery to be sent."],
  webhook_overdue_seconds: ["Time since the most overdue webhook delivery should have been sent."],
  outbox_entries: ["Outbox entries, by kind.", "kind"],
  outbox_oldest_seconds: ["Age of the oldest outbox entry, by kind.", "kind"],
  invariant_violations: ["Violations of the guarantees that the service checks, at the last check.", "invariant"],
  changelog_inbox_rows: ["Changes without a position in the changelog."],
  changelog_lag_rows: ["Rows of the changelog that a consumer has not read.", "consumer"],
  changelog_lag_seconds: ["Age of the oldest change that a consumer has not read.", "consumer"],
  database_size_bytes: ["Size of the database."],
  database_connections: ["Connections to the database server, of all clients."],
  database_max_connections: ["The max_connections of the database server."],
  database_oldest_transaction_seconds: ["Age of the oldest open transaction in the database."],
} satisfies Record<string, [help: string, ...labels: string[]]>;

export type StateFigure = keyof typeof STATE;
export type StateGauges = Record<StateFigure, SnapshotGauge>;

export function stateGauges(registry: Registry): StateGauges {
  const gauges = Object.entries(STATE).map(([figure, [help = "", ...labelNames]]) => {
    return [figure, snapshotGauge({ name: `millrace_${figure}`, help, labelNames }, registry)];
  });
  return Object.fromEntries(gauges);
}
