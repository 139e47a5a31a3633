import { decidedBy } from "../../../platform/actor.ts";
import { appendDecisions, DECISION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { stopQueuedRuns } from "../../runs/stop/stop-queued.ts";
import { cancelStepTriggers } from "../../waits/cancel-waits.ts";
import { beginCompensations, findDeferredEnds } from "../compensate/compensate-begin.ts";
import { type ReleasedSlots, releaseWorkflowSlots } from "../start/start-waiting.ts";
import { lockLimitsShared } from "../start/workflow-slots.ts";
import { cancelBelow } from "../stop/cancel-below.ts";
import { stopBelowSoon } from "../stop/stop-below.ts";
import type { WorkflowRunKey } from "../workflow-run-changes.ts";
import type { WorkflowRunEnd } from "./loaded-run.ts";

/**
 * Ends locked workflow runs: cancels everything in them that has not ended, triggers with their steps, job runs through
 * the outbox after the commit. A run with steps to compensate only begins to end: its job runs are canceled and
 * awaited, then it compensates. `isStopped`: their descendants have been stopped already. Returns the workflow runs to
 * be progressed: those whose steps wait for the ended ones, and those that start in their slots; each has an outbox
 * entry, too.
 */
export async function endWorkflowRuns(
  tx: Ctx & InTransaction,
  ends: readonly WorkflowRunEnd[],
  { isStopped = false } = {},
): Promise<WorkflowRunKey[]> {
  if (ends.length === 0) return [];
  const early = ends.filter((end) => end.status !== "completed");
  const deferred = await findDeferredEnds(tx, early);
  const canceled = early.length > 0 ? await cancelSteps(tx, early, deferred) : [];
  for (const [project_id, steps] of groupBy(canceled, (step) => step.project_id)) {
    const waiting = steps.flatMap((step) => (step.event_trigger_id === null ? [] : [step.event_trigger_id]));
    if (waiting.length > 0) await cancelStepTriggers(tx, project_id, waiting);
  }
  const running = canceled.filter(({ was_running }) => was_running);
  if (!isStopped) await stopAll(tx, running);
  await cancelBelow(tx, running);
  await beginCompensations(tx, deferred);
  const now = ends.filter((end) => !isAmong(end, deferred));
  const { caused, parents, slots } = now.length > 0 ? await writeEnds(tx, now) : NONE;
  const started = await releaseWorkflowSlots(tx, slots);
  if (caused > 0 || deferred.length > 0 || canceled.some((step) => step.run_id !== null)) wake(tx, "outbox");
  return [...parents, ...started];
}

async function stopAll(tx: Ctx & InTransaction, running: readonly CanceledStep[]): Promise<void> {
  for (const [project_id, steps] of groupBy(running, (step) => step.project_id)) {
    const workflow_run_ids = [...new Set(steps.map((step) => step.workflow_run_id))];
    await stopBelowSoon(tx, { project_id, workflow_run_ids });
    const run_ids = steps.flatMap((step) => step.run_id ?? []);
    if (run_ids.length > 0) await stopQueuedRuns(tx, project_id, run_ids, "cancel");
  }
}

function isAmong(end: WorkflowRunEnd, ends: readonly WorkflowRunEnd[]): boolean {
  return ends.some(({ run }) => run.id === end.run.id);
}

type CanceledStep = Parameters<typeof cancelBelow>[1][number] & {
  was_running: boolean;
  run_id: string | null;
  event_trigger_id: string | null;
};

/**
 * Running steps of postponed ends stay as they are until they have ended: they may still complete. Each step is
 * recorded in explain; the lateral reads the count as it was before this statement.
 */
async function cancelSteps(
  tx: Ctx & InTransaction,
  ends: readonly WorkflowRunEnd[],
  deferred: readonly WorkflowRunEnd[],
): Promise<CanceledStep[]> {
  const given = ends.map((end) => {
    const { run, cause, cause_ref, reason, by } = end;
    const key = { project_id: run.project_id, workflow_run_id: run.id };
    return { ...key, cause, cause_ref, reason, keeps: isAmong(end, deferred), ...decidedBy(by) };
  });
  const stays = sql`(g.keeps and s.status = 'running')`;
  const { rows } = await sql<CanceledStep>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(given)}::json)
        as g(project_id uuid, workflow_run_id uuid, cause text, cause_ref text, reason text, keeps boolean,
          decided_by text, decided_by_id text) where ${fewRows("g.reason")}
    ),
    moved as (
      update step_runs s set prev_status = case when ${stays} then s.prev_status else s.status end,
        status = case when ${stays} then s.status else 'canceled' end,
        cause = case when not ${stays} then g.cause end, cause_ref = case when not ${stays} then g.cause_ref end,
        finished_at = case when not ${stays} then clock() end, updated_at = clock()
      from given g
      where s.project_id = g.project_id and s.workflow_run_id = g.workflow_run_id and s.finished_at is null
      returning s.project_id, s.workflow_run_id, s.id, s.step_ref, s.position, s.status, s.generation, s.run_id,
        case when s.finished_at is null then 'running' else s.prev_status end as prev_status,
        s.event_trigger_id, s.type, g.keeps, g.reason, g.decided_by, g.decided_by_id
    ),
    counted as (
      update workflow_runs w set decisions = w.decisions + m.count
      from (
        select project_id, workflow_run_id, count(*)::int as count from moved where status = 'canceled' group by 1, 2
      ) m where w.project_id = m.project_id and w.id = m.workflow_run_id
    ),
    decided as (
      insert into workflow_decisions (project_id, workflow_run_id, ordinal, step_ref, decision_type, reason, decided_by,
        decided_by_id, created_at)
      select m.project_id, m.workflow_run_id,
        w.decisions + row_number() over (partition by m.project_id, m.workflow_run_id order by m.position), m.step_ref,
        'cancel', m.reason, m.decided_by, m.decided_by_id, clock()
      from moved m cross join lateral (
        select w.decisions from workflow_runs w
        where w.project_id = m.project_id and w.id = m.workflow_run_id offset 0
      ) w
      where m.status = 'canceled'
      returning ${DECISION}
    ),
    ${appendDecisions()},
    caused as (
      insert into outbox (project_id, transition_id, kind, target_id, detail, created_at)
      select project_id, id || ':' || generation, 'cancel_run', run_id::text,
        jsonb_build_object('cause', 'workflow_ended', 'reason', reason), clock()
      from moved where prev_status = 'running' and run_id is not null
    )
    select project_id, workflow_run_id, step_ref, type, keeps, reason, prev_status = 'running' as was_running,
      case when prev_status = 'running' then run_id end as run_id,
      case when prev_status = 'waiting' then event_trigger_id end as event_trigger_id
    from moved`.execute(tx.db);
  changesAppended(tx, "workflow_run");
  return rows;
}

type Written = { caused: number; parents: WorkflowRunKey[]; slots: ReleasedSlots[] };

const NONE: Written = { caused: 0, parents: [], slots: [] };

/** Pipelined: the statement reads the limits once their locks are held, so that an end costs no extra round trip. */
async function writeEnds(tx: Ctx & InTransaction, ends: readonly WorkflowRunEnd[]): Promise<Written> {
  const holders = ends.map((end) => end.run).filter((run) => run.holds_slot);
  const [, written] = await Promise.all([holders.length > 0 && lockLimitsShared(tx, holders), writeRows(tx, ends)]);
  return written;
}

/**
 * A failure starts the workflow's failure job; an end progresses the parent workflow run. `known_decisions`: the
 * count as loaded. Decisions of a completing run are counted here and not with its steps.
 */
async function writeRows(tx: Ctx & InTransaction, ends: readonly WorkflowRunEnd[]): Promise<Written> {
  const { rows } = await sql<Written & { ended: number }>`
    /* prepared */
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(ends.map(endRow))}::json) as g(
        project_id uuid, id uuid, was text, status text, error jsonb, error_count int, reason text, known_decisions int,
        had_slot boolean, decided_by text, decided_by_id text) where ${fewRows("g.status")}
    ),
    ended as (
      update workflow_runs w set prev_status = w.status, status = g.status, transition_count = w.transition_count + 1, error = g.error,
        error_count = g.error_count, phase = null, planned_end = null, blocked_on = null, paused_at = null,
        pause_inherited = false, stopped = null, holds_slot = false,
        decisions = greatest(w.decisions, g.known_decisions) + 1, finished_at = clock(), updated_at = clock()
      from given g where w.project_id = g.project_id and w.id = g.id and w.status = g.was
      returning w.project_id, w.id, w.workflow_id, w.status, w.transition_count, w.decisions, w.parent_workflow_run_id, g.reason,
        g.had_slot, g.decided_by, g.decided_by_id
    ),
    decided as (
      insert into workflow_decisions (project_id, workflow_run_id, ordinal, decision_type, reason, detail, decided_by,
        decided_by_id, created_at)
      select project_id, id, decisions, 'end', reason, jsonb_build_object('status', status), decided_by, decided_by_id,
        clock() from ended
      returning ${DECISION}
    ),
    ${appendDecisions()},
    handlers as materialized (
      select e.project_id, e.id, e.transition_count, f.on_failure_job_id from ended e, lateral (
        select f.on_failure_job_id from workflows f
        where f.project_id = e.project_id and f.id = e.workflow_id and f.on_failure_job_id is not null
      ) f where e.status in ('failed', 'timed_out')
    ),
    caused as (
      insert into outbox (project_id, transition_id, kind, target_id, created_at)
      select project_id, id || ':' || transition_count, 'workflow_on_failure', on_failure_job_id::text, clock() from handlers
      returning 1
    ),
    waiting_parents as materialized (
      select project_id, id, parent_workflow_run_id from ended e where parent_workflow_run_id is not null and exists (
        select 1 from workflow_runs p
        where p.project_id = e.project_id and p.id = e.parent_workflow_run_id and p.finished_at is null offset 0)
    ),
    parent_entries as (
      insert into outbox (project_id, transition_id, kind, target_id, created_at)
      select project_id, id::text, 'child_workflow_ended', parent_workflow_run_id::text, clock() from waiting_parents
      on conflict (project_id, transition_id, kind, target_id) do nothing
    )
    select (select count(*) from caused)::int as caused, (select count(*) from ended)::int as ended,
      coalesce((
        select json_agg(distinct jsonb_build_object('project_id', project_id, 'workflow_run_id', parent_workflow_run_id))
        from ended where parent_workflow_run_id is not null
      ), '[]') as parents,
      coalesce((
        select json_agg(s order by s.project_id, s.workflow_id) from (
          select e.project_id, e.workflow_id, e.released, f.max
          from (select project_id, workflow_id, count(*)::int as released from ended where had_slot group by 1, 2) e,
          lateral (
            select f.max_concurrent_runs as max from workflows f
            where f.project_id = e.project_id and f.id = e.workflow_id and f.max_concurrent_runs is not null offset 0
          ) f
        ) s
      ), '[]') as slots`.execute(tx.db);
  changesAppended(tx, "workflow_run");
  if (rows[0]?.ended !== ends.length) throw new Error("a workflow run was changed without the lock");
  return rows[0];
}

function endRow({ run, status, error, error_count, reason, by }: WorkflowRunEnd): object {
  const { project_id, id, status: was, decisions: known_decisions, holds_slot: had_slot } = run;
  return { project_id, id, was, status, error, error_count, reason, known_decisions, had_slot, ...decidedBy(by) };
}
