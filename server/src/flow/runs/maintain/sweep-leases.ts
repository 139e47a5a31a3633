import { sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import type { LeasedRun, Outcome } from "../dispatch/outcome.ts";
import { settleRuns } from "../settle/settle-runs.ts";
import { releaseOrphans } from "./release-orphans.ts";

const PAGE = 500;

type ExpiredRun = LeasedRun & { is_accepted: boolean; is_past_deadline: boolean };

/**
 * Rescues runs whose lease has expired: their instance died, or an accepted run sent no heartbeat. Read without a lock;
 * settling checks the expiry again, so a concurrent renewal wins.
 */
export async function sweepLeases(ctx: Ctx): Promise<boolean> {
  await releaseOrphans(ctx);
  const { rows } = await sql<ExpiredRun>`
    select q.project_id, q.run_id, r.job_version_id, r.attempt, q.lease_token, r.tries_used, r.crash_count,
      r.max_attempts, q.slots, q.accepted_at is not null as is_accepted, q.deadline <= clock() as is_past_deadline
    from run_queue q join runs r on r.project_id = q.project_id and r.id = q.run_id and r.status = 'running'
    where q.lease_until is not null and q.lease_until <= clock()
    order by q.lease_until limit ${PAGE}`.execute(ctx.db);
  if (rows.length === 0) return false;
  const settled = await settleRuns(
    ctx,
    rows.map((run) => ({ run, outcome: outcomeOf(run), is_expired: true })),
  );
  ctx.log.warn({ runs: settled.filter(Boolean).length }, "leases expired; their runs were rescued");
  return rows.length === PAGE;
}

function outcomeOf({ is_accepted, is_past_deadline }: ExpiredRun): Outcome {
  if (!is_accepted) return { kind: "lease_lost" };
  return is_past_deadline ? { kind: "timed_out" } : { kind: "heartbeat_lost" };
}
