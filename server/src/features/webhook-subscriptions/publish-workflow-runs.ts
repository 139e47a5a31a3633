import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { derivedId } from "../../platform/derived-id.ts";
import { notifySubscribers, type SubscriberEvent } from "../../platform/webhooks/notify-subscribers.ts";
import { readSubscribers, subscribersOf } from "../../platform/webhooks/read-subscribers.ts";
import { PAGE, readWorkflowRuns } from "./publish-runs.ts";
import { type Decision, workflowEventType, workflowEventTypes } from "./run-event-types.ts";

/** Inserts deliveries of workflow run events for their subscribers. */
export async function publishWorkflowRuns(tx: Ctx & InTransaction, decisions: readonly Decision[]): Promise<void> {
  const subscribers = await readSubscribers(
    tx,
    decisions.map((each) => each.project_id),
  );
  const isWanted = (each: Decision) => {
    const { project_id, created_at } = each;
    return workflowEventTypes(each).some((type) => subscribersOf(subscribers, { project_id, type, created_at })[0]);
  };
  const wanted = firstOfEach(decisions).filter(isWanted);
  for (let at = 0; at < wanted.length; at += PAGE) {
    await notifySubscribers(tx, await eventsOf(tx, wanted.slice(at, at + PAGE)), subscribers);
  }
}

/**
 * Keeps the first start and the first reset among the step decisions of one workflow run in one statement: no other one
 * can be an event.
 */
function firstOfEach(decisions: readonly Decision[]): Decision[] {
  const seen = new Set<string>();
  return decisions
    .toSorted((a, b) => a.ordinal - b.ordinal)
    .filter(({ workflow_run_id, step_ref, decision_type, position }) => {
      if (step_ref === null) return true;
      const name = `${workflow_run_id} ${position} ${decision_type === "retry"}`;
      return !seen.has(name) && seen.add(name);
    });
}

async function eventsOf(tx: Ctx & InTransaction, decisions: readonly Decision[]): Promise<SubscriberEvent[]> {
  const runs = await readWorkflowRuns(tx, decisions);
  const ofSteps = decisions.filter(({ step_ref }) => step_ref !== null);
  const starts = ofSteps.length === 0 ? new Map<string, number>() : await findStarts(tx, ofSteps);
  return decisions.flatMap((each) => {
    const run = runs.get(each.workflow_run_id);
    const started = starts.get(each.workflow_run_id);
    const type = run && workflowEventType(each, { status: run.status, started });
    return run && type ? [eventOf(each, run, type)] : [];
  });
}

function eventOf(decision: Decision, run: WorkflowRunRow, type: string): SubscriberEvent {
  const { project_id, workflow_run_id, ordinal, decision_type, reason, detail, created_at } = decision;
  return {
    ...{ project_id, environment_id: run.environment_id, type, created_at },
    source_type: "workflow_run",
    source_id: workflow_run_id,
    id: derivedId("workflow_run", workflow_run_id, String(ordinal), type),
    data: run,
    transition: { ordinal, decision_type, reason, detail },
  };
}

/**
 * Finds the decision that started each of these workflow runs: its first step decision within a day of its start. Older
 * decisions may have been purged. A run that was canceled before it started may be retried, which starts it.
 */
async function findStarts(
  ctx: Ctx,
  keys: readonly { project_id: string; workflow_run_id: string }[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ workflow_run_id: string; ordinal: number }>`
    select g.workflow_run_id, d.ordinal from (
      select distinct * from unnest(
        ${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.workflow_run_id)}::uuid[])
        as g(project_id, workflow_run_id)
    ) g, lateral (
      select w.started_at from workflow_runs w
      where w.project_id = g.project_id and w.id = g.workflow_run_id and w.started_at is not null offset 0
    ) w, lateral (
      select d.ordinal from workflow_decisions d
      where d.project_id = g.project_id and d.workflow_run_id = g.workflow_run_id and d.step_ref is not null
        and d.created_at >= w.started_at and d.created_at < w.started_at + interval '1 day'
        and d.decision_type not in ('cancel', 'retry')
      order by d.ordinal limit 1
    ) d`.execute(ctx.db);
  return new Map(rows.map((row) => [row.workflow_run_id, row.ordinal]));
}
