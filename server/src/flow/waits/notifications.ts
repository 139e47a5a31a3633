import type { EndedRun } from "../after-runs-ended.ts";
import type { CountedMove } from "../count-transitions.ts";
import type { Lane } from "../lanes.ts";
import type { WorkflowRunKey } from "../workflows/workflow-run-key.ts";

export type TriggerKey = { project_id: string; trigger_id: string };

/** Changes of triggers to publish after their commit: pass them to `notifyTriggers`. */
export type WaitNotifications = {
  created: { project_id: string; source_type: string }[];
  /** Resolved by an event. */
  received: number;
  timed_out: number;
  /** Began to wait or changed their status: streams follow them. */
  changed: TriggerKey[];
  moves: CountedMove[];
  lanes: Lane[];
  /** Jobs that were paused when their runs were queued again. */
  pausedJobs: { project_id: string; job_id: string }[];
  ended: EndedRun[];
  /** Workflow runs with an ended step. */
  progressed: WorkflowRunKey[];
  /** Workflow runs with a new decision. */
  explained: WorkflowRunKey[];
  hasDeliveries: boolean;
  /** Events that cancel runs have left outbox entries. */
  hasOutboxEntries?: boolean;
};

export function noNotifications(): WaitNotifications {
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

export function mergeNotifications(all: readonly WaitNotifications[]): WaitNotifications {
  return {
    created: all.flatMap((notifications) => notifications.created),
    received: all.reduce((sum, notifications) => sum + notifications.received, 0),
    timed_out: all.reduce((sum, notifications) => sum + notifications.timed_out, 0),
    changed: all.flatMap((notifications) => notifications.changed),
    moves: all.flatMap((notifications) => notifications.moves),
    lanes: all.flatMap((notifications) => notifications.lanes),
    pausedJobs: all.flatMap((notifications) => notifications.pausedJobs),
    ended: all.flatMap((notifications) => notifications.ended),
    progressed: all.flatMap((notifications) => notifications.progressed),
    explained: all.flatMap((notifications) => notifications.explained),
    hasDeliveries: all.some((notifications) => notifications.hasDeliveries),
  };
}
