import type { Actor } from "../../../platform/actor.ts";
import type { Ctx } from "../../../platform/context.ts";
import { groupBy } from "../../../platform/group-by.ts";
import { ackOutboxEntries } from "../../../platform/outbox/claim-outbox.ts";
import type { OutboxEntry } from "../../../platform/outbox/enqueue-outbox.ts";
import { cancelRun } from "./cancel-run.ts";
import { cancelRuns } from "./cancel-runs.ts";

/**
 * Cancels the job runs of canceled, skipped or reset steps of one project: those with the same reason in one
 * transaction. Ended runs are left as they are.
 */
export async function cancelStepRuns(ctx: Ctx, entries: readonly OutboxEntry[]): Promise<void> {
  for (const entry of entries.filter(isRest)) {
    const { project_id, target_id: run_id } = entry;
    await cancelRun(ctx, { project_id, run_id, cause: "canceled", ...whyOf(entry) });
  }
  const whole = entries.filter((entry) => !isRest(entry));
  for (const some of groupBy(whole, (entry) => JSON.stringify(whyOf(entry))).values()) {
    const { project_id } = some[0] as OutboxEntry;
    const why = whyOf(some[0] as OutboxEntry);
    const run_ids = [...new Set(some.map(({ target_id }) => target_id))];
    await cancelRuns(ctx, async (tx, cancel) => {
      await ackOutboxEntries(tx, some);
      await cancel({ project_id, run_ids, ...why });
    });
  }
}

/**
 * For descendants beyond the page of the transaction that canceled the run: only `cancelRun` continues below an ended
 * run.
 */
function isRest({ transition_id }: OutboxEntry): boolean {
  return transition_id.endsWith(":below");
}

/** `by`: the sender of the event that cancels it. */
function whyOf({ detail }: OutboxEntry): { reason: string; by: Actor } {
  const { reason, by = { id: null, name: "its workflow run" } } = detail as { reason: string; by?: Actor };
  return { reason, by };
}
