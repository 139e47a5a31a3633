import type { Ctx } from "../platform/context.ts";
import { afterRunsEnded } from "./after-runs-ended.ts";
import type { CanceledPage } from "./cancel-locked.ts";
import { countTransitions } from "./count-transitions.ts";
import { wakeLanes } from "./lanes.ts";
import { notifyEnded } from "./notify-ended.ts";
import { noNotifications } from "./waits/notifications.ts";
import { notifyTriggers } from "./waits/notify-triggers.ts";

/** After the commit that canceled runs: the requested ones and their descendants. */
export function notifyCanceled(
  ctx: Ctx,
  roots: readonly string[],
  { canceled, lanes, triggers }: Pick<CanceledPage, "canceled" | "lanes" | "triggers">,
): void {
  countTransitions(
    ctx,
    canceled.map(({ prev_status }) => ({ from_status: prev_status, to_status: "canceled" })),
  );
  notifyEnded(ctx, canceled);
  afterRunsEnded(ctx, canceled);
  wakeLanes(ctx, lanes);
  notifyTriggers(ctx, { ...noNotifications(), changed: triggers });
  const requested = new Set(roots);
  ctx.metrics.bulkChildCancellations.inc(canceled.filter((run) => !requested.has(run.run_id)).length);
}
