import type { Ctx } from "../platform/context.ts";
import { wakeWaitersForEnd } from "./wait-for-end.ts";
import { progressSoon } from "./workflows/progress-soon.ts";

export type EndedRun = {
  project_id: string;
  run_id: string;
  /** The workflow run that has this run as a step. */
  workflow_run_id: string | null;
  /** Its end has left outbox entries. */
  has_outbox_entries: boolean;
};

/** After the commit that ended runs: notifies waiters, and continues what the runs blocked. */
export function afterRunsEnded(ctx: Ctx, ended: readonly EndedRun[]): void {
  if (ended.length === 0) return;
  wakeWaitersForEnd(
    ctx,
    ended.map((run) => run.run_id),
  );
  if (ended.some((run) => run.has_outbox_entries)) ctx.wakeup.wake("outbox");
  const keys = ended.flatMap(({ project_id, workflow_run_id }) =>
    workflow_run_id === null ? [] : [{ project_id, workflow_run_id }],
  );
  if (keys.length > 0) progressSoon(ctx, keys);
}
