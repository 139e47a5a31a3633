import type { Ctx, InTransaction } from "../../platform/context.ts";
import { recordEffects } from "../../platform/ledger/record-effects.ts";
import { cancelStepTriggers } from "../waits/cancel-step-triggers.ts";
import type { WaitNews } from "../waits/news.ts";
import type { OperatedStep } from "./read-operated-steps.ts";

/**
 * Lets go of what steps that were just changed still had under way: their waits end with this transaction, their job
 * runs by an effect after it.
 */
export async function stopSteps(
  tx: Ctx & InTransaction,
  project_id: string,
  steps: readonly OperatedStep[],
  reason: string,
): Promise<{ has_effects: boolean; news: WaitNews[] }> {
  const waiting = steps.flatMap((step) => (step.status === "waiting" ? (step.event_trigger_id ?? []) : []));
  const news = await cancelStepTriggers(tx, project_id, waiting);
  const running = steps.flatMap(({ id, generation, status, run_id }) =>
    status === "running" && run_id !== null ? { transition_id: `${id}:${generation}`, target_id: run_id } : [],
  );
  await recordEffects(
    tx,
    running.map((effect) => ({ ...effect, project_id, kind: "cancel_run", detail: { cause: "step_changed", reason } })),
  );
  return { has_effects: running.length > 0, news: [news] };
}
