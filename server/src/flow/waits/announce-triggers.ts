import type { Ctx } from "../../platform/context.ts";
import { afterRunsEnded } from "../after-runs-ended.ts";
import { countTransitions } from "../count-transitions.ts";
import { wakeLanes } from "../lanes.ts";
import { unparkResumed } from "../park-job.ts";
import { progressSoon } from "../workflows/progress-soon.ts";
import { WORKFLOW_RUN_TOPIC } from "../workflows/workflow-run-key.ts";
import type { WaitNews } from "./news.ts";
import { tellTriggers } from "./tell-triggers.ts";

/** After the commit: what `tellTriggers` tells, and the runs and workflows that go on. Hints, all of them. */
export function announceTriggers(ctx: Ctx, news: WaitNews): void {
  tellTriggers(ctx, news);
  countTransitions(ctx, news.moves);
  wakeLanes(ctx, news.lanes);
  // Nobody waits for it: should it fail, the reconciliation of the queue finds them.
  void unparkResumed(ctx, news.pausedJobs).catch(() => {});
  afterRunsEnded(ctx, news.ended);
  for (const { project_id, workflow_run_id } of [...news.progressed, ...news.explained]) {
    ctx.wakeup.wake(WORKFLOW_RUN_TOPIC, `${project_id}:${workflow_run_id}`);
  }
  progressSoon(ctx, news.progressed);
  if (news.hasEffects) ctx.wakeup.wake("effects");
}
