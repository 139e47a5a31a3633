import type { SdkHeartbeat } from "@millrace/contract/sdk-runs";
import { signRunToken } from "../../../platform/access/credentials/run-token.ts";
import type { RunCtx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { findLostRun, refuseLostRun, tryLockLiveRun } from "./fence.ts";

/** A heartbeat. Returns a fresh token and whether the job must stop or pause. */
export async function heartbeatRun(ctx: RunCtx): Promise<SdkHeartbeat> {
  const live = await inTransaction(ctx, tryLockLiveRun);
  if (!live) return describeLost(ctx);
  const token = signRunToken(ctx, {
    run_id: ctx.run_id,
    project_id: ctx.project_id,
    attempt: ctx.attempt,
    lease_token: live.lease_token,
    deadline: live.deadline,
  });
  return { token, deadline: live.deadline, cancel_requested: false, pause_requested: live.pause_requested };
}

/** An attempt whose run was canceled meanwhile gets that as a result, not an error: it can stop cleanly. */
async function describeLost(ctx: RunCtx): Promise<SdkHeartbeat> {
  const { status, attempt } = await findLostRun(ctx);
  if (status !== "canceled" || attempt !== ctx.attempt) return refuseLostRun(ctx);
  return { token: null, deadline: null, cancel_requested: true, pause_requested: false };
}
