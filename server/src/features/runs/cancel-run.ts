import type { CancelRun } from "@millrace/contract/runs/runs";
import { refuseEnded } from "../../flow/runs/change-run.ts";
import type { RunRow } from "../../flow/runs/run-columns.ts";
import { cancelRun as cancelTree } from "../../flow/runs/stop/cancel-runs.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { auditRun } from "./audit-run.ts";
import { getRun } from "./queries.ts";

/** Returns a canceled run unchanged, and rejects one that ended otherwise. */
export async function cancelRun(ctx: ProjectCtx, id: string, body: CancelRun): Promise<RunRow> {
  const { id: run_id } = await getRun(ctx, id);
  const reason = body.reason ?? null;
  const { canceled, status } = await cancelTree(ctx, {
    project_id: ctx.project_id,
    run_id,
    cause: "canceled",
    reason,
    by: actorOf(ctx.caller),
    alongside: (tx, before) =>
      auditRun(tx, {
        action: "canceled",
        run_id,
        before: { status: before.status },
        after: { status: "canceled", reason },
      }),
  });
  if (status === undefined) throw notFound("run");
  if (!canceled && status !== "canceled") refuseEnded({ status });
  return getRun(ctx, run_id);
}
