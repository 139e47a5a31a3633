import type { Actor } from "../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { cancelRun } from "../runs/stop/cancel-runs.ts";
import { endedBy } from "../runs/stop/canceled-error.ts";
import { findTrigger, findTriggerByKey, type TriggerRow } from "../waits/find-trigger.ts";
import { type Decider, refuseUnauthorizedWait } from "../workflows/operate/refuse-unauthorized.ts";
import { lockRunsOfSteps } from "../workflows/progress/end-waiting-steps.ts";
import { resolveTriggers } from "./resolve-triggers.ts";

/** Which one, and who cancels it. A key means the trigger that waits for it, else the newest that did. */
type CancelTriggerRequest = { project_id: string } & Decider &
  ({ event_key: string; trigger_id?: undefined } | { trigger_id: string });

/**
 * Cancels a wait: a step fails with it and follows its on_failure, a run is canceled with all its descendants.
 * `alongside` is written in the same transaction. Returns the trigger's new state.
 */
export async function cancelTrigger<C extends Ctx>(
  ctx: C,
  request: CancelTriggerRequest,
  alongside: (tx: C & InTransaction, before: TriggerRow) => Promise<void>,
): Promise<TriggerRow> {
  const { project_id } = request;
  const seen =
    request.trigger_id === undefined
      ? await findTriggerByKey(ctx, request)
      : await findTrigger(ctx, project_id, request.trigger_id);
  if (!seen) throw notFound("event trigger");
  if (seen.status !== "waiting") throw endedAlready(seen);
  const write = (tx: C & InTransaction) => alongside(tx, seen);
  const isDone = await (seen.job_run_id === null
    ? cancelOfStep(ctx, seen, request, write)
    : cancelOfRun(ctx, seen, request.by, write));
  const now = await findTrigger(ctx, project_id, seen.id);
  if (!now) throw notFound("event trigger");
  if (!isDone) throw endedAlready(now);
  return now;
}

async function cancelOfStep<C extends Ctx>(
  ctx: C,
  trigger: TriggerRow,
  decider: Decider,
  write: (tx: C & InTransaction) => Promise<void>,
): Promise<boolean> {
  const { project_id, id, workflow_run_id, wait_kind } = trigger;
  return inTransaction(ctx, async (tx) => {
    await lockRunsOfSteps(tx, project_id, [workflow_run_id ?? ""]);
    if (wait_kind === "approval") await refuseUnauthorizedWait(tx, trigger, decider);
    const ended = await resolveTriggers(tx, [{ project_id, trigger_id: id }], {
      status: "canceled",
      error: endedBy(decider.by, "event_canceled", `The wait was canceled by ${decider.by.name}.`),
    });
    if (ended.length > 0) await write(tx);
    return ended.length > 0;
  });
}

async function cancelOfRun<C extends Ctx>(
  ctx: C,
  { project_id, id, job_run_id }: TriggerRow,
  by: Actor,
  write: (tx: C & InTransaction) => Promise<void>,
): Promise<boolean> {
  const reason = `The wait of the run was canceled by ${by.name}.`;
  const { canceled } = await cancelRun(ctx, {
    project_id,
    run_id: job_run_id ?? "",
    trigger_id: id,
    cause: "event_canceled",
    reason,
    by,
    alongside: write,
  });
  return canceled;
}

function endedAlready({ status }: TriggerRow): ApiError {
  return new ApiError("event_trigger_ended", `The event trigger is no longer waiting: its status is ${status}.`);
}
