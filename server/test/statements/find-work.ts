import { WEBHOOKS_CONSUMER } from "../../src/features/webhook-subscriptions/publish-changes.ts";
import { SUMS_CONSUMER } from "../../src/platform/changelog/consume-changes.ts";
import { runSql, type TestConnection } from "../world/database.ts";

/**
 * For each task, the condition under which it may have work: most passes of most tasks in a test would find nothing,
 * and each costs a statement or a transaction. Wider than the task's own condition, without times and with few states:
 * a task that lacks a check must still show its error in a test.
 */
const WORK: Record<string, string> = {
  "poll-queue": some("run_queue"),
  "read-circuits": some("circuits"),
  "probe-circuits": some("circuits"),
  "fail-unreachable-runs": some("circuits where down_since is not null"),
  "release-due-runs": some("run_queue"),
  "release-rate-limits": some("rate_windows"),
  "expire-runs": some("run_queue"),
  "run-outbox": some("outbox"),
  "fire-schedules": some("schedules"),
  "resolve-due-triggers": some("event_triggers where status = 'waiting'"),
  "start-due-workflow-runs": some("workflow_runs where status = 'pending'"),
  "time-out-workflow-runs": some("workflow_runs where status = 'running'"),
  "work-on-batches": some("batch_operations where finished_at is null"),
  "backfill-schedules": some("batch_operations where finished_at is null and kind = 'schedule_backfill'"),
  "retry-deliveries": some("batch_operations where finished_at is null"),
  "admit-blocked-on-budget": some("project_budgets"),
  "evaluate-canaries": some("canaries"),
  "seal-audit": some("audit_events where chain_no is null"),
  "send-webhooks": some("webhook_deliveries where status = 'pending'"),
  "drain-logs": some("log_drains"),
  "evaluate-alert-rules": some("alert_evaluations"),
  "drain-outbox-sources": some("outbox_sources"),
  // Changes nothing; tests of it run it by name.
  "check-invariants": "false",
  "publish-webhooks": unread(WEBHOOKS_CONSUMER),
  [SUMS_CONSUMER]: unread(SUMS_CONSUMER),
};

function some(rows: string): string {
  return `exists (select from ${rows})`;
}

function unread(consumer: string): string {
  return `(has_unsequenced or head > coalesce((select position from log_cursors where consumer = '${consumer}'), 0))`;
}

/** A run is claimable, the outbox has an entry, or a workflow run must start: those of steps are created pending. */
const MOVES = [
  some("run_queue where lease_until is null and blocked_on is null and stopped is null and host not like 'pull:%'"),
  some("outbox"),
  some("workflow_runs where status = 'pending' and blocked_on is null and stopped is null and scheduled_at <= clock()"),
].join(" or ");

const names = Object.keys(WORK);
const FIND_WORK = `
  with newest as materialized (
    select position as head, exists (select from changelog_inbox) as has_unsequenced from changelog_head
  )
  select clock() as now, array[${names.map((name) => WORK[name]).join(", ")}] as has_work, ${MOVES} as moves from newest`;

export type Work = {
  nowMs: number;
  /** Runs move: some task must run again. */
  moves: boolean;
  /** Whether a task may have work. Unknown for a task without a condition. */
  has: (task: string) => boolean;
};

export async function findWork(connection: TestConnection): Promise<Work> {
  const statement = { name: "find-work", text: FIND_WORK };
  const [row] = await runSql<{ now: Date; has_work: boolean[]; moves: boolean }>(connection, statement);
  if (!row) throw new Error("nothing was found");
  const without = new Set(names.filter((_, nth) => row.has_work[nth] === false));
  return { nowMs: row.now.getTime(), moves: row.moves, has: (task) => !without.has(task) };
}
