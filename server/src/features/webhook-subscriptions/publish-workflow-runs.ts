import type { WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { derivedId } from "../../platform/derived-id.ts";
import { notifySubscribers, type SubscriberEvent } from "../../platform/webhooks/notify-subscribers.ts";
import { readSubscribers, subscribersOf } from "../../platform/webhooks/read-subscribers.ts";
import { findStarts } from "./find-starts.ts";
import { PAGE } from "./publish-runs.ts";
import { readWorkflowRuns } from "./read-published.ts";
import { type Decision, workflowEventType, workflowEventTypes } from "./workflow-event-type.ts";

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
