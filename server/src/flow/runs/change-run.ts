import { appendRunChanges, TRANSITION } from "../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../platform/changelog/wake-readers.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { wakeSkipped } from "../limits/wake-skipped.ts";
import { countTransitions } from "./count-transitions.ts";
import { type LockedRun, lockRuns, type RunKey } from "./lock-runs.ts";
import { hasEnded, type RunCause, type RunStatus } from "./states.ts";

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

/** Final states are final. */
export function refuseEnded({ status }: { status: RunStatus }): void {
  if (hasEnded(status)) throw endedError(status);
}

export function endedError(status: RunStatus): ApiError {
  return new ApiError("run_already_ended", `The run has already ended: its status is ${status}.`, {
    errors: [{ location: "path.runID", message: `is ${status}`, value: status }],
  });
}

type Transition = { to_status: Extract<RunStatus, "pending" | "paused">; cause: RunCause };

/** Moves one locked run to a non-final state, and logs it. An earlier request to pause it is cleared. */
export async function transitionRun(
  tx: Ctx & InTransaction,
  run: LockedRun,
  { to_status, cause }: Transition,
): Promise<void> {
  await sql`
    with moved as (
      update runs set prev_status = status, status = ${to_status}, transition_count = transition_count + 1, pause_requested = false,
        updated_at = clock()
      where project_id = ${run.project_id} and id = ${run.id} and status = ${run.status}
      returning project_id, id, transition_count, prev_status, status, attempt, updated_at
    ),
    logged as (
      insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
      select project_id, id, transition_count, prev_status, status, ${cause}, attempt, updated_at from moved
      returning ${TRANSITION}
    ),
    ${appendRunChanges()}
    select 1`.execute(tx.db);
  changesAppended(tx, "run");
  countTransitions(tx, [{ from_status: run.status, to_status }]);
}
