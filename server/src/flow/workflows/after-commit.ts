import type { Ctx } from "../../platform/context.ts";
import type { Enqueued } from "../enqueue-runs.ts";
import type { NewRun } from "../new-run.ts";
import { releaseStarts, type Starts } from "../start-here.ts";
import type { WaitNotifications } from "../waits/notifications.ts";

/** Runs that were born for steps; those in `starts` are this instance's to start, after the commit. */
type CreatedRuns = { runs: NewRun[]; starts: Starts; enqueued: Enqueued };

/**
 * What was done beside the hands, to be told after the commit, or taken back should there be none. `children`: how many
 * workflow runs were born for steps.
 */
export type AfterCommit = { born: CreatedRuns[]; children: number; notifications: WaitNotifications[] };

export function emptyAfterCommit(): AfterCommit {
  return { born: [], children: 0, notifications: [] };
}

/** Nothing was born after all: the slots that were kept are free. */
export function giveBack(ctx: Ctx, afterCommit: AfterCommit): void {
  for (const { runs, starts } of afterCommit.born.splice(0)) releaseStarts(ctx, runs, starts);
  afterCommit.children = 0;
  afterCommit.notifications = [];
}
