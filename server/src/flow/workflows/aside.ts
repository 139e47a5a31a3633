import type { Ctx } from "../../platform/context.ts";
import type { Enqueued } from "../enqueue-runs.ts";
import type { NewRun } from "../new-run.ts";
import { releaseStarts, type Starts } from "../start-here.ts";
import type { WaitNews } from "../waits/news.ts";

/** Runs that were born for steps; those in `starts` are this instance's to start, after the commit. */
type BornRuns = { runs: NewRun[]; starts: Starts; enqueued: Enqueued };

/**
 * What was done beside the hands, to be told after the commit, or taken back should there be none. `children`: how many
 * workflow runs were born for steps.
 */
export type Aside = { born: BornRuns[]; children: number; news: WaitNews[] };

export function emptyAside(): Aside {
  return { born: [], children: 0, news: [] };
}

/** Nothing was born after all: the slots that were kept are free. */
export function giveBack(ctx: Ctx, aside: Aside): void {
  for (const { runs, starts } of aside.born.splice(0)) releaseStarts(ctx, runs, starts);
  aside.children = 0;
  aside.news = [];
}
