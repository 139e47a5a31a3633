import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { enqueueOutbox } from "../../../platform/outbox/enqueue-outbox.ts";
import { stopQueuedRuns } from "../../runs/stop/stop-queued.ts";
import { cancelStepTriggers } from "../../waits/resolve/cancel-step-triggers.ts";
import type { OperatedStep } from "../operate/read-operated-steps.ts";
import { cancelBelow } from "./cancel-below.ts";
import { stopBelow } from "./stop-below.ts";

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
