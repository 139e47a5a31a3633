import { RUN_COLUMNS, type RunRow } from "../../flow/runs/run-columns.ts";
import { WORKFLOW_RUN_COLUMNS, type WorkflowRunRow } from "../../flow/workflows/workflow-run-columns.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { derivedId } from "../../platform/derived-id.ts";
import { notifySubscribers, type SubscriberEvent } from "../../platform/webhooks/notify-subscribers.ts";
import { readSubscribers, subscribersOf } from "../../platform/webhooks/read-subscribers.ts";
import { runEventTypes, type Transition } from "./run-event-types.ts";

/** Objects are read and published in pages, because their payloads may be large. */
export const PAGE = 10;

/** Inserts deliveries of run events for their subscribers. */
export async function publishRuns(tx: Ctx & InTransaction, transitions: readonly Transition[]): Promise<void> {
  const subscribers = await readSubscribers(
    tx,
    transitions.map((each) => each.project_id),
  );
  const wanted = transitions.filter(({ project_id, created_at, ...each }) =>
    runEventTypes(each).some((type) => subscribersOf(subscribers, { project_id, type, created_at }).length > 0),
  );
  for (let at = 0; at < wanted.length; at += PAGE) {
    const page = wanted.slice(at, at + PAGE);
    const runs = await readRuns(tx, page);
    const events = page.flatMap((each) => eventsOf(each, runs.get(each.run_id)));
    await notifySubscribers(tx, events, subscribers);
  }
}

/** The id is derived from the transition, so that it cannot be published twice. Deleted runs are skipped. */
function eventsOf(transition: Transition, run: RunRow | undefined): SubscriberEvent[] {
  if (!run) return [];
  const { project_id, run_id, ordinal, from_status, to_status, cause, attempt, detail, created_at } = transition;
  return runEventTypes(transition).map((type) => ({
    ...{ project_id, environment_id: run.environment_id, type, created_at, source_type: "run", source_id: run_id },
    id: derivedId("run", run_id, String(ordinal), type),
    data: run,
    transition: { ordinal, from_status, to_status, cause, attempt, detail },
  }));
}

/** Reads the current runs by id. Each is looked up by its key, whatever the plan. */
async function readRuns(
  ctx: Ctx,
  keys: readonly { project_id: string; run_id: string }[],
): Promise<Map<string, RunRow>> {
  const { rows } = await sql<RunRow>`
    /* prepared */
    select ${RUN_COLUMNS} from (
      select distinct * from unnest(${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.run_id)}::uuid[])
        as g(project_id, run_id)
    ) g, lateral (select r.* from runs r where r.project_id = g.project_id and r.id = g.run_id offset 0) r
  `.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function readWorkflowRuns(
  ctx: Ctx,
  keys: readonly { project_id: string; workflow_run_id: string }[],
): Promise<Map<string, WorkflowRunRow>> {
  const { rows } = await sql<WorkflowRunRow>`
    select ${WORKFLOW_RUN_COLUMNS} from (
      select distinct * from unnest(
        ${keys.map((key) => key.project_id)}::uuid[], ${keys.map((key) => key.workflow_run_id)}::uuid[])
        as g(project_id, workflow_run_id)
    ) g, lateral (
      select w.* from workflow_runs w where w.project_id = g.project_id and w.id = g.workflow_run_id offset 0
    ) w`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}
