import { DISPATCHES_FOLLOWER, USAGE_FOLLOWER } from "../src/features/analytics/costs-roll-up.ts";
import { RUNS_FOLLOWER } from "../src/features/analytics/roll-up-runs.ts";
import { WORKFLOWS_FOLLOWER } from "../src/features/analytics/roll-up-workflows.ts";
import { RUN_EVENTS_FOLLOWER } from "../src/features/webhook-subscriptions/expand-run-events.ts";
import { WORKFLOW_EVENTS_FOLLOWER } from "../src/features/webhook-subscriptions/expand-workflow-events.ts";
import { runSql, type TestConnection } from "./database.ts";

/**
 * By the name of a task, under which condition it may have something to do. A condition may hold in vain, but must not
 * miss work: most passes of most tasks in a test would find nothing, and each costs a statement or a transaction.
 */
const WORK: Record<string, string> = {
  "look-for-runs": some("run_queue where lease_until is null and parked_on is null and stopped is null"),
  "read-circuits": some("circuits"),
  "probe-circuits": some("circuits where status = 'open' and probe_at <= clock()"),
  "release-due-runs": some("run_queue where parked_on = 'not_due' and run_at <= clock()"),
  "release-rate-limits": some("rate_windows where next_at <= clock()"),
  "expire-runs": some("run_queue where stopped is null and expires_at <= clock()"),
  "do-effects": some("effects"),
  "fire-schedules": some("schedules where next_fire_at <= clock()"),
  "resolve-due-triggers": some("event_triggers where status = 'waiting' and expires_at <= clock()"),
  // Those of steps are created pending: the pass that created them has not started them.
  "start-due-workflow-runs": some(
    "workflow_runs where status = 'pending' and parked_on is null and stopped is null and scheduled_at <= clock()",
  ),
  "time-out-workflow-runs": some("workflow_runs where status = 'running' and deadline <= clock()"),
  "work-on-batches": some("batch_operations where finished_at is null"),
  "retry-deliveries": some("batch_operations where finished_at is null"),
  "admit-parked-on-budget": some("run_queue where parked_on = 'budget'"),
  "judge-canaries": some("canaries where status = 'active'"),
  "seal-audit": some("audit_events where chain_no is null"),
  "send-webhooks": some("webhook_deliveries where status = 'pending' and next_attempt_at <= clock()"),
  "drain-logs": some("log_drains"),
  "expand-run-events": unread("run_xid", RUN_EVENTS_FOLLOWER),
  "expand-workflow-events": unread("decision_xid", WORKFLOW_EVENTS_FOLLOWER),
  "settle-costs": unread("run_xid", "settle-costs"),
  "file-runs": unread("run_xid", "file-runs"),
  "roll-up-runs": unread("run_xid", RUNS_FOLLOWER),
  "roll-up-workflows": unread("decision_xid", WORKFLOWS_FOLLOWER),
  "roll-up-costs": `${unread("run_xid", DISPATCHES_FOLLOWER)} or ${unread("usage_xid", USAGE_FOLLOWER)}`,
};

function some(rows: string): string {
  return `exists (select from ${rows})`;
}

function unread(newest: string, follower: string): string {
  return `coalesce(${newest} > coalesce((select after_xid from log_cursors where follower = '${follower}'), '0'), false)`;
}

const names = Object.keys(WORK);
const FIND_WORK = `
  with newest as materialized (
    select (select max(xid) from run_transitions) as run_xid, (select max(xid) from workflow_decisions) as decision_xid,
      (select max(xid) from run_usage) as usage_xid
  )
  select clock() as now, array[${names.map((name) => WORK[name]).join(", ")}] as has_work from newest`;

/** `has`: whether a task may have something to do; of a task without a condition nobody knows. */
export type Work = { nowMs: number; has: (task: string) => boolean };

export async function findWork(connection: TestConnection): Promise<Work> {
  const statement = { name: "find-work", text: FIND_WORK };
  const [row] = await runSql<{ now: Date; has_work: boolean[] }>(connection, statement);
  if (!row) throw new Error("nothing was found");
  const without = new Set(names.filter((_, nth) => row.has_work[nth] === false));
  return { nowMs: row.now.getTime(), has: (task) => !without.has(task) };
}
