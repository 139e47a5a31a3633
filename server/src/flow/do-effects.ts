import type { Ctx, InTransaction } from "../platform/context.ts";
import { isConnectionLoss } from "../platform/database/database-errors.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { Refusal } from "../platform/errors.ts";
import type { Effect } from "../platform/ledger/record-effects.ts";
import { putEffectBack, strikeEffect, strikeEffects } from "../platform/ledger/take-effects.ts";
import { tellFailure } from "../platform/tell-failure.ts";
import { cancelMoreByEvent, cancelWorkflowByEvent } from "./cancel-by-event.ts";
import { cancelStepRuns } from "./cancel-step-runs.ts";
import { cancelStopped } from "./cancel-stopped.ts";
import { settleDependents } from "./dependencies/settle-dependents.ts";
import { startOnFailure } from "./start-on-failure.ts";
import { announceTriggered } from "./trigger-runs.ts";
import { announceTriggers } from "./waits/announce-triggers.ts";
import { emitEvent } from "./waits/emit-event.ts";
import { resolveChildWait } from "./waits/resolve-child-wait.ts";
import { tellOfTrigger } from "./waits/tell-of-trigger.ts";
import { cancelChildren } from "./workflows/cancel-children.ts";
import { progressRuns } from "./workflows/progress-runs.ts";
import { startOnWorkflowFailure } from "./workflows/start-on-workflow-failure.ts";
import type { WorkflowRunKey } from "./workflows/workflow-run-key.ts";

/** Kinds of which many are done in one transaction. */
export const TOGETHER = ["progress", "child_workflow_ended", "cancel_run", "cancel_child"];

/** `failed`: to be tried again. `left`: not done to the end yet. */
type Done = { failed: number; left: number };

/**
 * Does what transitions have caused beyond themselves: claimed entries of one project and one kind, in their order.
 * Done with guards, and deleted in the same transaction or after it: a crash between the transition and here loses
 * nothing, and two who try do it once.
 */
export async function doEffects(ctx: Ctx, effects: readonly Effect[]): Promise<Done> {
  const done: Done = { failed: 0, left: 0 };
  if (effects.length > 1 && (await doTogether(ctx, effects))) return done;
  for (const effect of effects) {
    try {
      if (!(await doEffect(ctx, effect))) done.left++;
    } catch (error) {
      tellFailure(ctx, error, { effect: { ...effect, detail: undefined } }, "an effect was not done");
      // Still claimed by this instance, which comes back to them when the database does.
      if (isConnectionLoss(error)) return { failed: effects.length, left: 0 };
      // One that cannot be done must not hold up the others: it goes to the end of its lane.
      done.failed++;
      await putEffectBack(ctx, effect).catch(() => {});
    }
  }
  return done;
}

/** False: not done, or not so; one by one it is seen which of them cannot be done. */
async function doTogether(ctx: Ctx, effects: readonly Effect[]): Promise<boolean> {
  const kind = effects[0]?.kind ?? "";
  if (!TOGETHER.includes(kind)) return false;
  try {
    await doMany(ctx, kind, effects);
    await strikeEffects(ctx, effects);
    return true;
  } catch {
    return false;
  }
}

/** These have transactions of their own, and may be done twice. */
async function doMany(ctx: Ctx, kind: string, effects: readonly Effect[]): Promise<void> {
  if (kind === "cancel_run") await cancelStepRuns(ctx, effects);
  else if (kind === "cancel_child") await cancelChildren(ctx, effects);
  else await progressRuns(ctx, effects.map(keyOf));
}

/** False: it stays to be done. */
async function doEffect(ctx: Ctx, effect: Effect): Promise<boolean> {
  if (TOGETHER.includes(effect.kind)) await doMany(ctx, effect.kind, [effect]);
  if (effect.kind === "cancel_workflow_run") await cancelWorkflowByEvent(ctx, effect);
  if (effect.kind === "cancel_stopped") await cancelStopped(ctx, effect.project_id);
  if (effect.kind === "dependents" && !(await letDependentsGo(ctx, effect))) return false;
  const announce = await inTransaction(ctx, (tx) => doWithin(tx, effect));
  announce?.(ctx);
  return true;
}

/** What is to be told after the commit. */
type Announce = ((ctx: Ctx) => void) | undefined;

async function doWithin(tx: Ctx & InTransaction, effect: Effect): Promise<Announce> {
  // First, so that a second who comes meanwhile waits here and finds nothing left to do.
  if (!(await strikeEffect(tx, effect))) return undefined;
  try {
    return await doKind(tx, effect);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tx.log.warn({ effect, reason: error.message }, "an effect was refused and is given up");
    return undefined;
  }
}

async function doKind(tx: Ctx & InTransaction, effect: Effect): Promise<Announce> {
  switch (effect.kind) {
    case "on_failure":
      return announcing(announceTriggered, await startOnFailure(tx, effect));
    case "workflow_on_failure":
      return announcing(announceTriggered, await startOnWorkflowFailure(tx, effect));
    case "emit":
      return announcing(announceTriggers, await emitEvent(tx, effect));
    case "tell_event_trigger":
      return announcing(wakeDeliveries, await tellOfTrigger(tx, effect));
    case "child_ended":
      return announcing(announceTriggers, await resolveChildWait(tx, effect));
    case "cancel_on":
      return announcing((ctx) => ctx.wakeup.wake("effects"), await cancelMoreByEvent(tx, effect));
    case "cancel_run":
    case "cancel_workflow_run":
    case "cancel_child":
    case "child_workflow_ended":
    case "cancel_stopped":
    case "progress":
    case "dependents":
      return undefined;
    default:
      throw new Error(`nobody knows how to do ${effect.kind}`);
  }
}

/** False: there are more. */
async function letDependentsGo(ctx: Ctx, { project_id, target_id: run_id }: Effect): Promise<boolean> {
  const { isDone } = await settleDependents(ctx, { project_id, run_id });
  return isDone;
}

function keyOf({ project_id, target_id: workflow_run_id }: Effect): WorkflowRunKey {
  return { project_id, workflow_run_id };
}

function wakeDeliveries(ctx: Ctx, hasDeliveries: boolean): void {
  if (hasDeliveries) ctx.wakeup.wake("deliveries");
}

function announcing<T>(announce: (ctx: Ctx, told: T) => void, told: T): Announce {
  return (ctx) => announce(ctx, told);
}
