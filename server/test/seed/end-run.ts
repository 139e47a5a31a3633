import { claimLimited } from "../../src/flow/runs/claim/claim-limited.ts";
import { claimRuns } from "../../src/flow/runs/claim/claim-runs.ts";
import type { Outcome } from "../../src/flow/runs/dispatch/outcome.ts";
import { settleRuns } from "../../src/flow/runs/settle/settle-runs.ts";
import type { Ctx } from "../../src/platform/context.ts";
import { runSql } from "../world/database.ts";
import type { World } from "../world/world.ts";

const OUTCOMES = {
  completed: { kind: "completed", result_json: "null" },
  failed: { kind: "failed", retryable: false, error: { code: "bad", message: "It broke." } },
} as const satisfies Record<string, Outcome>;

/** Claims a queued run and settles it without a dispatch. The outbox entries of its end stay in the outbox. */
export async function endRun(
  world: World,
  run_id: string,
  outcome: keyof typeof OUTCOMES = "completed",
  ctx: Ctx = world.ctx,
): Promise<void> {
  const [lane] = await runSql<{ project_id: string; host: string }>(
    world.connection,
    "select project_id, host from run_queue where run_id = $1",
    [run_id],
  );
  if (!lane) throw new Error("the run is not in the queue");
  const { claimed, unchecked } = await claimRuns(ctx, [{ ...lane, share: 1_000, bound: "-infinity" }]);
  const all = [...claimed, ...(await claimLimited(ctx, unchecked))];
  const run = all.find((each) => each.run_id === run_id);
  if (!run) throw new Error("the run cannot be claimed");
  const others = all.filter((each) => each !== run);
  await settleRuns(
    ctx,
    others.map((each) => ({ run: each, outcome: { kind: "drained" } })),
  );
  const [settled] = await settleRuns(ctx, [{ run, outcome: OUTCOMES[outcome] }]);
  if (!settled) throw new Error("the run was not settled");
}
