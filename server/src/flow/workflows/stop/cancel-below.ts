import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { sql } from "../../../platform/database/sql.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { enqueueOutbox } from "../../../platform/outbox/enqueue-outbox.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { stopQueuedRuns } from "../../runs/stop/stop-queued.ts";
import { cancelStepTriggers } from "../../waits/cancel-waits.ts";
import { cancelItems } from "../map/cancel-items.ts";
import type { OperatedStep } from "../operate/read-operated-steps.ts";
import { stopBelow } from "./stop-below.ts";

type StoppedStep = {
  project_id: string;
  workflow_run_id: string;
  step_ref: string;
  type: string;
  reason: string;
  /** Running children are canceled, but the step waits for them. */
  keeps: boolean;
};

/** Cancels the running items or workflow runs of steps, through the outbox. */
export async function cancelBelow(tx: Ctx & InTransaction, steps: readonly StoppedStep[]): Promise<void> {
  const maps = steps.filter(({ type }) => type === "map");
  const parents = steps.filter(({ type }) => type === "map" || type === "sub_workflow");
  if (parents.length === 0) return;
  await cancelItems(tx, maps);
  await stopChildren(tx, [...groupBy(parents, (step) => step.workflow_run_id).values()].map(childrenOf));
}

function childrenOf(steps: readonly StoppedStep[]) {
  const [{ project_id, workflow_run_id, reason } = { project_id: "", workflow_run_id: "", reason: "" }] = steps;
  return { project_id, workflow_run_id, reason, refs: steps.map(({ step_ref }) => step_ref) };
}

type ChildrenToStop = {
  project_id: string;
  workflow_run_id: string;
  refs: readonly string[];
  reason: string;
};

/**
 * Cancels the workflow runs that steps have started, of any generation, through the outbox after the commit; each
 * cancels its own descendants. Under the lock of their parent.
 */
export async function stopChildren(tx: Ctx & InTransaction, parents: readonly ChildrenToStop[]): Promise<void> {
  if (parents.length === 0) return;
  const { rows } = await sql<{ stopped: number }>`
    with live as materialized (
      select c.project_id, c.id, g.reason
      from json_to_recordset(${JSON.stringify(parents)}::json)
        as g(project_id uuid, workflow_run_id uuid, refs jsonb, reason text), lateral (
        select c.project_id, c.id from workflow_runs c
        where c.parent_workflow_run_id = g.workflow_run_id and c.project_id = g.project_id and c.finished_at is null
          and g.refs ? split_part(c.parent_step_ref, '[', 1)
        offset 0
      ) c
      where ${fewRows("g.reason")}
    ),
    caused as (
      insert into outbox (project_id, transition_id, kind, target_id, detail, created_at)
      select project_id, id::text, 'cancel_child', id::text, jsonb_build_object('reason', reason), clock()
      from live
      on conflict (project_id, transition_id, kind, target_id) do nothing
    )
    select count(*)::int as stopped from live`.execute(tx.db);
  if (rows[0]?.stopped) wake(tx, "outbox");
}

/**
 * Stops the work of steps that were just changed: their waits end with this transaction; their job runs and workflow
 * runs are stopped in it and ended through the outbox after it.
 */
export async function stopSteps(
  tx: Ctx & InTransaction,
  { project_id, id: workflow_run_id }: { project_id: string; id: string },
  steps: readonly OperatedStep[],
  reason: string,
): Promise<void> {
  const refs = steps.filter(({ type }) => type === "map" || type === "sub_workflow").map(({ step_ref }) => step_ref);
  if (refs.length > 0) await stopBelow(tx, { project_id, workflow_run_ids: [workflow_run_id], refs });
  const waiting = steps.flatMap((step) => (step.status === "waiting" ? (step.event_trigger_id ?? []) : []));
  await cancelStepTriggers(tx, project_id, waiting);
  const running = steps.flatMap(({ id, generation, status, run_id }) =>
    status === "running" && run_id !== null ? { transition_id: `${id}:${generation}`, target_id: run_id } : [],
  );
  await enqueueOutbox(
    tx,
    running.map((run) => ({ ...run, project_id, kind: "cancel_run", detail: { cause: "step_changed", reason } })),
  );
  const run_ids = running.map(({ target_id }) => target_id);
  if (run_ids.length > 0) await stopQueuedRuns(tx, project_id, run_ids, "cancel");
  await cancelBelow(
    tx,
    steps.map(({ step_ref, type }) => ({ project_id, workflow_run_id, step_ref, type, reason, keeps: false })),
  );
}
