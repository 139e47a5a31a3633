import type { EndedRun } from "../after-runs-ended.ts";
import type { CountedMove } from "../count-transitions.ts";
import type { Lane } from "../lanes.ts";
import type { WorkflowRunKey } from "../workflows/workflow-run-key.ts";

export type TriggerKey = { project_id: string; trigger_id: string };

/** What changes of triggers leave to be told after their commit: give it to `announceTriggers`. */
export type WaitNews = {
  created: { project_id: string; source_type: string }[];
  /** Resolved by an event. */
  received: number;
  timed_out: number;
  /** That began to wait or whose status changed: streams follow them. */
  changed: TriggerKey[];
  moves: CountedMove[];
  lanes: Lane[];
  /** Jobs that were paused when runs of theirs came back into the queue. */
  pausedJobs: { project_id: string; job_id: string }[];
  ended: EndedRun[];
  /** Workflow runs of which a step ended. */
  progressed: WorkflowRunKey[];
  /** Workflow runs of which a decision was told. */
  explained: WorkflowRunKey[];
  hasDeliveries: boolean;
  /** Events that cancel runs have left effects to be done. */
  hasEffects?: boolean;
};

export function noNews(): WaitNews {
  return {
    created: [],
    received: 0,
    timed_out: 0,
    changed: [],
    moves: [],
    lanes: [],
    pausedJobs: [],
    ended: [],
    progressed: [],
    explained: [],
    hasDeliveries: false,
  };
}

export function joinNews(all: readonly WaitNews[]): WaitNews {
  return {
    created: all.flatMap((news) => news.created),
    received: all.reduce((sum, news) => sum + news.received, 0),
    timed_out: all.reduce((sum, news) => sum + news.timed_out, 0),
    changed: all.flatMap((news) => news.changed),
    moves: all.flatMap((news) => news.moves),
    lanes: all.flatMap((news) => news.lanes),
    pausedJobs: all.flatMap((news) => news.pausedJobs),
    ended: all.flatMap((news) => news.ended),
    progressed: all.flatMap((news) => news.progressed),
    explained: all.flatMap((news) => news.explained),
    hasDeliveries: all.some((news) => news.hasDeliveries),
  };
}
