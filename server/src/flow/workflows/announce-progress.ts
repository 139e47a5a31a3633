import type { Ctx } from "../../platform/context.ts";
import { type Lane, wakeLanes } from "../lanes.ts";
import { startBorn } from "../start-here.ts";
import { announceTriggered } from "../trigger-runs.ts";
import { joinNews, type WaitNews } from "../waits/news.ts";
import { tellTriggers } from "../waits/tell-triggers.ts";
import { emptyAside } from "./aside.ts";
import { WORKFLOW_RUN_TOPIC, type WorkflowRunKey } from "./workflow-run-key.ts";

export const WORKFLOWS_DUE_TOPIC = "workflow-runs-due";

export type Progressed = {
  changed: WorkflowRunKey[];
  has_effects: boolean;
  /** A run that waited for a slot may start. */
  freed: boolean;
  news: WaitNews[];
  /** Workflow runs that wait for some that have ended: to be progressed. */
  parents: WorkflowRunKey[];
  /** Where runs became claimable. */
  lanes: Lane[];
};

/** After the commit: starts the runs of steps, and tells whoever waits for a workflow run or watches it. */
export function announceProgress(ctx: Ctx, progressed: Progressed, aside = emptyAside()): void {
  for (const { runs, starts, enqueued } of aside.born) {
    startBorn(ctx, runs, starts, enqueued);
    announceTriggered(ctx, { results: [], enqueued });
  }
  for (const { project_id, workflow_run_id } of progressed.changed) {
    ctx.wakeup.wake(WORKFLOW_RUN_TOPIC, `${project_id}:${workflow_run_id}`);
  }
  wakeLanes(ctx, progressed.lanes);
  const news = [...aside.news, ...progressed.news];
  if (news.length > 0) tellTriggers(ctx, joinNews(news));
  if (progressed.has_effects) ctx.wakeup.wake("effects");
  if (progressed.freed || aside.children > 0) ctx.wakeup.wake(WORKFLOWS_DUE_TOPIC);
}
