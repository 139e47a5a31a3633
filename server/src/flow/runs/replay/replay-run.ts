import { type Actor, createdBy } from "../../../platform/actor.ts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { prepareRun, type Trigger } from "../create/prepare-run.ts";
import { findTriggerableJob } from "../create/triggerable-job.ts";
import { enqueueDependent } from "../dependencies/enqueue-linked.ts";
import type { RunKey } from "../lock-runs.ts";
import { keptOf, lockOriginals, noteReplays, type Original, refuseReplay } from "./replay-originals.ts";

export type Replay<C extends Ctx> = {
  by: Actor;
  /** In place of the run's own values. */
  edits: Pick<Trigger, "payload" | "metadata" | "tags">;
  /** Committed together with the new run. */
  alongside: (tx: C & InTransaction, replay: { run_id: string }) => Promise<void>;
};

const MAX_TRIES = 5;

/**
 * Replays an ended run as a new run of the job's current version. A dead letter leaves the dead-letter queue in the
 * same transaction, so it is replayed once; any other run may be replayed any number of times. Undefined: there is no
 * such run.
 */
export async function replayRun<C extends Ctx>(
  ctx: C,
  key: RunKey,
  { by, edits, alongside }: Replay<C>,
): Promise<string | undefined> {
  return inTransaction(ctx, async (tx) => {
    const [original] = await lockOriginals(tx, key.project_id, [key.run_id]);
    if (!original) return undefined;
    refuseReplay(original, edits.payload);
    const run_id = await enqueueReplay(tx, original, { ...edits, ...createdBy(by), trigger_type: "replay" });
    await noteReplays(tx, key.project_id, [{ run_id: original.id, replayed_by: run_id }]);
    await alongside(tx, { run_id });
    return run_id;
  });
}

async function enqueueReplay(tx: Ctx & InTransaction, original: Original, trigger: Trigger): Promise<string> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const job = await findTriggerableJob(tx, original.project_id, original.job_id);
    if (!job) throw new ApiError("job_deleted", "The job of this run was deleted.");
    const run = prepareRun(job, { ...keptOf(original), ...trigger });
    const enqueued = await enqueueDependent(tx, run, "refuse");
    if (enqueued.has(run.id)) return run.id;
  }
  throw new ApiError("conflict", "The job keeps changing. Try again.");
}
