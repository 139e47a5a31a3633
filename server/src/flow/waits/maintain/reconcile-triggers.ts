import type { Ctx } from "../../../platform/context.ts";
import { resolveDueTriggers } from "../resolve/resolve-due-triggers.ts";
import { findForgotten } from "./find-forgotten.ts";
import { recountTriggers } from "./recount-triggers.ts";
import { repairForgotten } from "./repair-forgotten.ts";
import { repairStranded } from "./repair-stranded.ts";

/**
 * The reconciliation of waits: ends those that a timer has missed, continues runs and steps whose wait has ended or is
 * gone, and repairs counts. In a correct system it finds nothing to repair; repairs are logged and counted.
 */
export async function reconcileTriggers(ctx: Ctx): Promise<boolean> {
  await resolveDueTriggers(ctx);
  const { resumed, ended } = await repairForgotten(ctx, await findForgotten(ctx));
  const stranded = await repairStranded(ctx);
  const recounted = await recountTriggers(ctx);
  const repairs = {
    waits_resumed: resumed,
    waits_ended: ended,
    waits_stranded: stranded,
    triggers_recounted: recounted,
  };
  for (const [kind, count] of Object.entries(repairs)) ctx.metrics.repairs.inc({ kind }, count);
  if (resumed + ended + stranded + recounted > 0) ctx.log.error(repairs, "waits were inconsistent; repaired");
  return false;
}
