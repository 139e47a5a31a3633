import { decidedBy } from "../../platform/actor.ts";
import { appendDecisions, DECISION } from "../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { fewRows } from "../../platform/database/few-rows.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import type { LoadedRun, NewDecision } from "./progress/loaded-run.ts";

export type WorkflowRunKey = { project_id: string; workflow_run_id: string };

export const WORKFLOW_RUN_TOPIC = "workflow-run";

/** Some run may start: it was created, or a slot was released. */
export const WORKFLOWS_DUE_TOPIC = "workflow-runs-due";

/** Notifies watchers of workflow runs after the commit that changed them. */
export function notifyWorkflowRuns(ctx: Ctx, keys: readonly WorkflowRunKey[]): void {
  for (const { project_id, workflow_run_id } of keys) {
    wake(ctx, WORKFLOW_RUN_TOPIC, `${project_id}:${workflow_run_id}`);
  }
}

/**
 * A part of statements after whose commit workflow runs must be progressed: inserts an outbox entry, so that a crash in
 * between loses nothing. One per workflow run, written and deleted under its lock. `runs` has its `id`.
 */
export function enqueueProgress(project_id: string, runs: Sql): Sql {
  return sql`
    to_progress as (
      insert into outbox (project_id, transition_id, kind, target_id, created_at)
      select ${project_id}::uuid, id::text, 'progress', id::text, clock() from ${runs}
      on conflict (project_id, transition_id, kind, target_id) do nothing
    )`;
}

/** The counterpart: acknowledges the entry. */
export function ackProgress(loadedRuns: readonly LoadedRun[]): Sql {
  const keys = loadedRuns.map(({ run }) => ({ project_id: run.project_id, id: run.id }));
  return sql`
    progress_done as (
      delete from outbox e
      using json_to_recordset(${JSON.stringify(keys)}::json) as g(project_id uuid, id text)
      where e.project_id = g.project_id and e.transition_id = g.id and e.kind = 'progress' and e.target_id = g.id
        and ${fewRows("g.id")}
    )`;
}

/** Records decisions about a workflow run for explain, in the transaction and under the lock of the decision. */
export async function recordDecisions(
  tx: Ctx & InTransaction,
  { project_id, workflow_run_id }: WorkflowRunKey,
  decisions: readonly NewDecision[],
): Promise<void> {
  if (decisions.length === 0) return;
  await sql`
    with counted as (
      update workflow_runs set decisions = decisions + ${decisions.length}, updated_at = clock()
      where project_id = ${project_id} and id = ${workflow_run_id}
      returning id, decisions - ${decisions.length} as before
    ),
    ${enqueueProgress(project_id, sql`counted`)},
    decided as (
      insert into workflow_decisions (
        project_id, workflow_run_id, ordinal, step_ref, decision_type, reason, detail, decided_by, decided_by_id, created_at)
      select ${project_id}, ${workflow_run_id}, c.before + g.nth, g.step_ref, g.decision_type, g.reason, g.detail,
        g.decided_by, g.decided_by_id, clock()
      from counted c, rows from (
        json_to_recordset(${JSON.stringify(decisions.map(rowOf))}::json)
          as (step_ref text, decision_type text, reason text, detail jsonb, decided_by text, decided_by_id text)
      ) with ordinality as g(step_ref, decision_type, reason, detail, decided_by, decided_by_id, nth)
      returning ${DECISION}
    ),
    ${appendDecisions()}
    select 1`.execute(tx.db);
  changesAppended(tx, "workflow_run");
}

function rowOf({ by, ...decision }: NewDecision): object {
  return { ...decision, ...decidedBy(by) };
}
