import { sql } from "kysely";
import type { Ctx, InTransaction } from "../platform/context.ts";
import { inTransaction } from "../platform/database/transaction.ts";
import { Refusal } from "../platform/errors.ts";
import { countTransitions } from "./count-transitions.ts";
import { enqueueRuns } from "./enqueue-runs.ts";
import { type Lane, wakeLanes } from "./lanes.ts";
import type { RunKey } from "./lock-runs.ts";
import { prepareRun, type Trigger } from "./prepare-run.ts";
import { hasEnded } from "./refuse-ended.ts";
import type { RunStatus } from "./states.ts";
import { findTriggerableJob } from "./triggerable-job.ts";

export type Replay<C extends Ctx> = {
  by: string;
  /** In place of what the run had. */
  edits: Pick<Trigger, "payload" | "metadata" | "tags">;
  /** Written with the new run, or not at all. */
  alongside: (tx: C & InTransaction, replay: { run_id: string }) => Promise<void>;
};

type Original = Required<Pick<Trigger, "payload" | "metadata" | "tags" | "priority" | "concurrency_key">> & {
  project_id: string;
  id: string;
  job_id: string;
  environment_id: string;
  status: RunStatus;
  workflow_run_id: string | null;
  dead_lettered_at: string | null;
  replayed_at: string | null;
};

const MAX_TRIES = 5;

/**
 * Runs what has ended again, as a new run of the job as it is now. A dead letter leaves its list in the same
 * transaction, so it is replayed once; any other run may be replayed at will. Undefined: there is no such run.
 */
export async function replayRun<C extends Ctx>(
  ctx: C,
  key: RunKey,
  { by, edits, alongside }: Replay<C>,
): Promise<string | undefined> {
  const born = await inTransaction(ctx, async (tx) => {
    const original = await lockOriginal(tx, key);
    if (!original) return undefined;
    refuseReplay(original);
    await leaveList(tx, original);
    const born = await enqueueReplay(tx, original, { ...edits, created_by: by, trigger_type: "replay" });
    await alongside(tx, born);
    return born;
  });
  if (!born) return undefined;
  countTransitions(ctx, [{ from_status: null, to_status: "pending" }]);
  wakeLanes(ctx, born.lanes);
  return born.run_id;
}

/** One that has ended is in no queue, so its own lock is the first. */
async function lockOriginal(tx: Ctx & InTransaction, { project_id, run_id }: RunKey): Promise<Original | undefined> {
  const { rows } = await sql<Original>`
    select project_id, id, job_id, environment_id, status, payload, metadata, tags, priority, concurrency_key,
      workflow_run_id, dead_lettered_at, replayed_at
    from runs where project_id = ${project_id} and id = ${run_id} for no key update`.execute(tx.db);
  return rows[0];
}

function refuseReplay({ status, workflow_run_id, replayed_at }: Original): void {
  if (workflow_run_id !== null)
    throw new Refusal("belongs_to_workflow", "A step of a workflow started this run: retry the step.");
  if (!hasEnded(status)) throw new Refusal("run_not_ended", `The run has not ended: it is ${status}.`);
  if (replayed_at !== null)
    throw new Refusal("already_replayed", `The run left the dead-letter list by a replay at ${replayed_at}.`);
}

async function leaveList(tx: Ctx & InTransaction, { project_id, id, dead_lettered_at }: Original): Promise<void> {
  if (dead_lettered_at === null) return;
  await sql`
    update runs set dead_lettered_at = null, replayed_at = clock(), updated_at = clock()
    where project_id = ${project_id} and id = ${id}`.execute(tx.db);
}

async function enqueueReplay(
  tx: Ctx & InTransaction,
  original: Original,
  trigger: Trigger,
): Promise<{ run_id: string; lanes: Lane[] }> {
  const { project_id, payload, metadata, tags, priority, concurrency_key, environment_id } = original;
  const kept = { payload, metadata, tags, priority, concurrency_key, environment_id, replay_of: original.id };
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const job = await findTriggerableJob(tx, project_id, original.job_id);
    if (!job) throw new Refusal("job_deleted", "The job of this run was deleted.");
    const run = prepareRun(job, { ...kept, ...trigger });
    const { runs, lanes } = await enqueueRuns(tx, [run]);
    if (runs.has(run.id)) return { run_id: run.id, lanes };
  }
  throw new Refusal("conflict", "The job is being changed right now.");
}
