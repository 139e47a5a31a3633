import type { Ctx } from "../../../platform/context.ts";
import { collectForCommit } from "../../../platform/database/after-commit.ts";
import { wake } from "../../../platform/wakeups/wake.ts";
import { progressSoon } from "../../workflows/progress/progress-soon.ts";
import { wakeWaitersForEnd } from "./wait-for-end.ts";

export type EndedRun = {
  project_id: string;
  run_id: string;
  /** The workflow run that has this run as a step. */
  workflow_run_id: string | null;
  /** Its end has left outbox entries. */
  has_outbox_entries: boolean;
};

/** After the commit that ended runs: notifies waiters, and continues what was waiting for the runs. */
export const afterRunsEnded = collectForCommit<EndedRun>((ctx, ended) => {
  wakeWaitersForEnd(
    ctx,
    ended.map((run) => run.run_id),
  );
  if (ended.some((run) => run.has_outbox_entries)) wake(ctx, "outbox");
  const keys = ended.flatMap(({ project_id, workflow_run_id }) =>
    workflow_run_id === null ? [] : [{ project_id, workflow_run_id }],
  );
  progressSoon(ctx, keys);
});

export const RUN_ENDED_TOPIC = "run-ended";

/**
 * Notifies every instance, after the commit, that these runs have ended: the instance that dispatches one aborts its
 * request.
 */
export function notifyEnded(ctx: Ctx, runs: readonly { run_id: string }[]): void {
  for (const { run_id } of runs) wake(ctx, RUN_ENDED_TOPIC, run_id);
}
