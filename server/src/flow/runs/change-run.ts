import type { Ctx, InTransaction } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { wakeSkipped } from "../limits/wake-skipped.ts";
import { type LockedRun, lockRuns, type RunKey } from "./lock-runs.ts";

/** After these retries, a run whose queue row is missing is changed without one. */
const MAX_ROUNDS = 5;

/** Changes one run under its locks. False: there is no such run. */
export async function changeRun<C extends Ctx>(
  ctx: C,
  { project_id, run_id }: RunKey,
  change: (tx: C & InTransaction, run: LockedRun) => Promise<void>,
): Promise<boolean> {
  for (let round = 1; ; round++) {
    const changed = await inTransaction(ctx, async (tx) => {
      const { runs, isOutdated } = await lockRuns(tx, project_id, [run_id]);
      const [run] = runs;
      if (!run) return "absent";
      if (isOutdated && round < MAX_ROUNDS) return "outdated";
      await change(tx, run);
      return run;
    });
    if (changed === "outdated") continue;
    if (changed === "absent") return false;
    await wakeSkipped(ctx, [changed]);
    return true;
  }
}
