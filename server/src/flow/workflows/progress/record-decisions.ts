import { sql } from "kysely";
import { decidedBy } from "../../../platform/actor.ts";
import { appendDecisions, DECISION } from "../../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import type { WorkflowRunKey } from "../workflow-run-key.ts";
import type { NewDecision } from "./loaded-run.ts";
import { progressCaused } from "./progress-outbox.ts";

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
    ${progressCaused(project_id, sql`counted`)},
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
