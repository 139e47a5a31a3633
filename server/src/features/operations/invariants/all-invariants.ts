import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { countUnstarted } from "./walk-limits.ts";
import { countIdleWorkflowRuns, countStrandedRuns } from "./walk-open.ts";

export const MAX_COUNTED = 1_000;
/** Reconciliation runs every 30 s, so differences that its next pass repairs are not reported. */
const GRACE_SECS = 60;
/** A lease is swept within 5 s of its end. */
const LEASE_GRACE_SECS = 35;

export type InvariantCheck = {
  name: string;
  guarantee: string;
  remedy: string;
  /** What reconciliation counts as its repairs. */
  repairs: readonly string[];
  /** The rows that violate it: a select, or a walk that reads the next page at each check. */
  violations: Sql | ((ctx: Ctx) => Promise<number>);
};

/** Sums yield to runs while many of them change. */
const BEHIND = sql`clock() - interval '5 minutes'`;
const LATE = sql`clock() - ${sql.lit(GRACE_SECS)} * interval '1 second'`;

/**
 * The conditions that always hold while no run is lost or stuck. The limits are those of `docs/operate/monitoring.md`.
 */
export const allInvariants: readonly InvariantCheck[] = [
  {
    name: "slots_match_holders",
    guarantee: "Each concurrency counter equals the slots that running runs hold.",
    remedy: "Reconciliation recounts it within 30 s. If it stays, report it with the support bundle.",
    repairs: ["recounted"],
    violations: sql`
      select 1 from concurrency_counters c full join (
        select q.project_id, s as key, count(*)::int as active from run_queue q, unnest(q.slots) as s
        where q.lease_until is not null and q.slots is not null group by q.project_id, s
      ) h on h.project_id = c.project_id and h.key = c.key
      where coalesce(c.active, 0) <> coalesce(h.active, 0) and coalesce(c.key, h.key) not like 'workflow:%'`,
  },
  {
    name: "workflow_slots_match_holders",
    guarantee: "Each counter of `max_concurrent_runs` equals the active workflow runs that hold a slot.",
    remedy: "Reconciliation recounts it within 30 s. If it stays, report it with the support bundle.",
    repairs: ["workflow_slots"],
    violations: sql`
      select 1 from concurrency_counters c
      join workflows f on f.project_id = c.project_id and c.key = 'workflow:' || f.id and f.max_concurrent_runs is not null
      where c.key like 'workflow:%' and c.active <> (
        select count(*) from workflow_runs w
        where w.project_id = f.project_id and w.workflow_id = f.id and w.finished_at is null and w.holds_slot)`,
  },
  {
    name: "free_slots_are_used",
    guarantee: `No run waits for a limit that has had room for ${GRACE_SECS} s.`,
    remedy: "Reconciliation releases such runs within 30 s. If it stays, report it with the support bundle.",
    repairs: ["unblocked"],
    violations: countUnstarted,
  },
  {
    name: "leases_end",
    guarantee: `No lease is held longer than ${LEASE_GRACE_SECS} s beyond its end.`,
    remedy: "No engine instance sweeps leases: start one, or find in its log why the task `sweep-leases` fails.",
    repairs: [],
    violations: sql`
      select 1 from run_queue q where q.lease_until < clock() - ${sql.lit(LEASE_GRACE_SECS)} * interval '1 second'`,
  },
  {
    name: "open_runs_have_a_wake_source",
    guarantee: "Each run that has not ended is in the queue, under a lease, or has an open wait.",
    remedy:
      "Reconciliation queues it again, within 30 s if few runs are open. If it stays, report it with the support bundle.",
    repairs: ["queued", "waits_resumed", "waits_ended", "waits_stranded", "dependencies"],
    violations: countStrandedRuns,
  },
  {
    name: "workflow_runs_progress",
    guarantee: "In each running workflow run a step runs, waits or is compensated.",
    remedy:
      "Reconciliation progresses it within 30 s. If it stays, read its decisions: GET /v1/workflow-runs/{id}/explain.",
    repairs: ["workflow_progressed"],
    violations: countIdleWorkflowRuns,
  },
  {
    name: "timers_fire",
    guarantee: `Start times, waits, timeouts and schedules take effect within ${GRACE_SECS} s.`,
    remedy: "Start an instance with the engine role, or find in its log which background task fails or is slow.",
    repairs: [],
    violations: sql`
      select 1 from run_queue q where q.blocked_on = 'not_due' and q.stopped is null and q.run_at < ${LATE}
      union all select 1 from event_triggers t where t.status = 'waiting' and t.expires_at < ${LATE}
      union all select 1 from workflow_runs w
        where w.status = 'pending' and w.blocked_on is null and w.stopped is null and w.scheduled_at < ${LATE}
      union all select 1 from workflow_runs w where w.status = 'running' and w.deadline < ${LATE}
      union all select 1 from schedules s where s.paused_at is null and s.next_fire_at < ${LATE}`,
  },
  {
    name: "outbox_is_served",
    guarantee: `Outbox entries are processed within ${GRACE_SECS} s.`,
    remedy: "Start an instance with the engine role, or find in its log why the task `run-outbox` fails.",
    repairs: [],
    violations: sql`
      select 1 from outbox o where o.created_at < ${LATE} and (o.claimed_until is null or o.claimed_until < ${LATE})`,
  },
  {
    name: "changelog_is_consumed",
    guarantee: "Streams, webhooks and sums are at most five minutes behind the changes.",
    remedy: "Find in the log of an engine instance which consumer fails; millrace_changelog_lag_seconds names it.",
    repairs: ["rollup", "cost_rollup"],
    violations: sql`
      select 1 from log_cursors c, changelog_head h
      where c.counted_to is null and (
        (select l.created_at from changelog l where l.position > c.position order by l.position limit 1) < ${BEHIND}
        or (select i.created_at from changelog_inbox i where i.id > h.scan_after order by i.id limit 1) < ${BEHIND})`,
  },
];
