import type { Ctx } from "../../platform/context.ts";
import type { Enqueued } from "../enqueue-runs.ts";
import type { NewRun } from "../new-run.ts";
import { releaseStarts, type Starts } from "../start-here.ts";
import type { WaitNotifications } from "../waits/notifications.ts";

/** Runs created for steps; this instance starts those in `starts` after the commit. */
type CreatedRuns = { runs: NewRun[]; starts: Starts; enqueued: Enqueued };

/**
 * What was done in addition to the changes of the loaded runs: published after the commit, or undone if there is none.
 * `children`: how many workflow runs were created for steps.
 */
export type AfterCommit = { created: CreatedRuns[]; children: number; notifications: WaitNotifications[] };

export function emptyAfterCommit(): AfterCommit {
  return { created: [], children: 0, notifications: [] };
}

/** Nothing was created after all: the reserved slots are released. */
export function discardAfterCommit(ctx: Ctx, afterCommit: AfterCommit): void {
  for (const { runs, starts } of afterCommit.created.splice(0)) releaseStarts(ctx, runs, starts);
  afterCommit.children = 0;
  afterCommit.notifications = [];
}
