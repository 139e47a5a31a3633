import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Lane, wakeLanes } from "../lanes.ts";
import { announceTriggers } from "../waits/announce-triggers.ts";
import { joinNews, type WaitNews } from "../waits/news.ts";
import { WORKFLOWS_DUE_TOPIC } from "./announce-progress.ts";
import { lockWorkflowRuns } from "./lock-workflow-runs.ts";
import { progressSoon } from "./progress-soon.ts";
import type { LockedWorkflowRun } from "./run-in-hand.ts";
import { WORKFLOW_RUN_TOPIC, type WorkflowRunKey } from "./workflow-run-key.ts";

/** Written with a change, or not at all. */
export type Alongside<C extends Ctx> = (tx: C & InTransaction, before: LockedWorkflowRun) => Promise<void>;

/**
 * What a change leaves to be told after its commit. `freed`: a run that waits to start may do so; `parents`: workflow
 * runs that wait for this one go on.
 */
export type Told = {
  has_effects?: boolean;
  freed?: boolean;
  news?: WaitNews[];
  parents?: WorkflowRunKey[];
  /** Where runs became claimable. */
  lanes?: Lane[];
  /** Workflow runs that were changed with it. */
  others?: WorkflowRunKey[];
};

/**
 * Changes one workflow run under its lock, then tells those who follow it and lets it go on. `change` answers what is
 * to be told beyond that, or undefined when it has changed nothing. `beside` are locked with it, in order. False: there
 * is no such workflow run.
 */
export async function changeWorkflowRun<C extends Ctx>(
  ctx: C,
  key: WorkflowRunKey,
  change: (
    tx: C & InTransaction,
    run: LockedWorkflowRun,
    beside: readonly LockedWorkflowRun[],
  ) => Promise<Told | undefined>,
  beside: readonly WorkflowRunKey[] = [],
): Promise<boolean> {
  const changed = await inTransaction(ctx, async (tx) => {
    const locked = await lockWorkflowRuns(tx, [key, ...beside]);
    const run = locked.find(({ id }) => id === key.workflow_run_id);
    const others = locked.filter((each) => each !== run);
    return run ? { told: await change(tx, run, others) } : undefined;
  });
  if (!changed?.told) return changed !== undefined;
  tellChanged(ctx, key, changed.told);
  return true;
}

/** After the commit. */
function tellChanged(ctx: Ctx, key: WorkflowRunKey, told: Told): void {
  const { has_effects, freed, news = [], parents = [], lanes = [], others = [] } = told;
  announceTriggers(ctx, joinNews(news));
  wakeLanes(ctx, lanes);
  if (has_effects) ctx.wakeup.wake("effects");
  if (freed) ctx.wakeup.wake(WORKFLOWS_DUE_TOPIC);
  for (const { project_id, workflow_run_id } of [key, ...others]) {
    ctx.wakeup.wake(WORKFLOW_RUN_TOPIC, `${project_id}:${workflow_run_id}`);
  }
  progressSoon(ctx, [key, ...others, ...parents]);
}
