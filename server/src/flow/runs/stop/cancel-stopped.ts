import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { cancelRuns } from "./cancel-runs.ts";

const PAGE = 300;
const REASON = "An ancestor workflow run was canceled.";

/**
 * Cancels marked runs of a project that were spawned and therefore belong to no step, a page at a time. Runs of steps
 * have outbox entries of their own, with the reason of each cancellation.
 */
export async function cancelStopped(ctx: Ctx, project_id: string): Promise<void> {
  for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
    const { rows } = await sql<{ run_id: string }>`
      select q.run_id from run_queue q
      join runs r on r.project_id = q.project_id and r.id = q.run_id and r.workflow_run_id is null
      where q.project_id = ${project_id} and q.stopped = 'cancel' and q.run_id > ${after}::uuid
      order by q.run_id limit ${PAGE}`.execute(ctx.db);
    const run_ids = rows.map((row) => row.run_id);
    if (run_ids.length === 0) return;
    await cancelRuns(ctx, (_tx, cancel) =>
      cancel({ project_id, run_ids, reason: REASON, by: { id: null, name: "its workflow run" } }),
    );
    after = run_ids.at(-1) ?? after;
  }
}
