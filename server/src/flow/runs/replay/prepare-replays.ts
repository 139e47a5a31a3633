import { type Actor, createdBy } from "../../../platform/actor.ts";
import type { Ctx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { yieldToEventLoop } from "../../../platform/time-slices.ts";
import type { NewRun } from "../create/new-run.ts";
import { prepareRun } from "../create/prepare-run.ts";
import { findTriggerableJob, type TriggerableJob } from "../create/triggerable-job.ts";
import { keptOf, type Original, refuseReplay } from "./replay-originals.ts";

export type ReplayOrder = {
  project_id: string;
  by: Actor;
  /** Null: nothing is created. */
  batch_id: string | null;
  /** Only those that are in the dead-letter queue. */
  isDeadLetters: boolean;
};

export type PreparedReplay = { original: Original; run: NewRun };

/** For each, the new run of the job's current version, or the reason why there is none. */
export async function prepareReplays(
  ctx: Ctx,
  order: ReplayOrder,
  originals: readonly Original[],
): Promise<{ prepared: PreparedReplay[]; refused: Map<string, ApiError> }> {
  const jobs = new Map<string, TriggerableJob | undefined>();
  for (const job_id of new Set(originals.map((each) => each.job_id))) {
    jobs.set(job_id, await findTriggerableJob(ctx, order.project_id, job_id));
  }
  const refused = new Map<string, ApiError>();
  const prepared: PreparedReplay[] = [];
  for (const original of originals) {
    try {
      prepared.push({ original, run: prepareOne(order, original, jobs.get(original.job_id)) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.set(original.id, error);
    }
    await yieldToEventLoop();
  }
  return { prepared, refused };
}

function prepareOne(order: ReplayOrder, original: Original, job: TriggerableJob | undefined): NewRun {
  refuseReplay(original);
  if (order.isDeadLetters && original.dead_lettered_at === null)
    throw new ApiError("not_dead_lettered", "The run is not in the dead-letter queue.");
  if (!job) throw new ApiError("job_deleted", "The job of this run was deleted.");
  const { by, batch_id } = order;
  return prepareRun(job, { ...keptOf(original), ...createdBy(by), batch_id, trigger_type: "replay" });
}
