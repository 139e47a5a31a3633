import type { Ctx } from "../platform/context.ts";
import { afterRunsEnded } from "./after-runs-ended.ts";
import { announceEnded } from "./announce-ended.ts";
import type { CanceledPage } from "./cancel-locked.ts";
import { countTransitions } from "./count-transitions.ts";
import { wakeLanes } from "./lanes.ts";
import { announceTriggers } from "./waits/announce-triggers.ts";
import { noNews } from "./waits/news.ts";

/** After the commit that canceled runs: those that were asked for, and what hung below them. */
export function tellCanceled(
  ctx: Ctx,
  roots: readonly string[],
  { canceled, lanes, triggers }: Pick<CanceledPage, "canceled" | "lanes" | "triggers">,
): void {
  countTransitions(
    ctx,
    canceled.map(({ prev_status }) => ({ from_status: prev_status, to_status: "canceled" })),
  );
  announceEnded(ctx, canceled);
  afterRunsEnded(ctx, canceled);
  wakeLanes(ctx, lanes);
  announceTriggers(ctx, { ...noNews(), changed: triggers });
  const asked = new Set(roots);
  ctx.metrics.bulkChildCancellations.inc(canceled.filter((run) => !asked.has(run.run_id)).length);
}
