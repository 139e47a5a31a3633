import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import type { Trigger } from "../create/prepare-run.ts";
import { findErased } from "../maintain/erase-run.ts";
import { hasEnded, type RunStatus } from "../states.ts";

/** A run that will be replayed. */
export type Original = Required<Pick<Trigger, "payload" | "metadata" | "priority" | "concurrency_key">> & {
  tags: Record<string, string>;
  project_id: string;
  id: string;
  job_id: string;
  environment_id: string;
  status: RunStatus;
  workflow_run_id: string | null;
  dead_lettered_at: string | null;
  replayed_at: string | null;
  /** Its payload was erased. */
  is_erased: boolean;
};

/** By id. Ended runs have no queue rows, so their own locks come first. */
export function lockOriginals(
  tx: Ctx & InTransaction,
  project_id: string,
  run_ids: readonly string[],
): Promise<Original[]> {
  return read(tx, project_id, run_ids, sql`for no key update`);
}

/** Without locks, for previews. */
export function readOriginals(ctx: Ctx, project_id: string, run_ids: readonly string[]): Promise<Original[]> {
  return read(ctx, project_id, run_ids, sql``);
}

async function read(ctx: Ctx, project_id: string, run_ids: readonly string[], lock: Sql): Promise<Original[]> {
  const { rows } = await sql<Omit<Original, "is_erased">>`
    select project_id, id, job_id, environment_id, status, payload, metadata, tags, priority, concurrency_key,
      workflow_run_id, dead_lettered_at, replayed_at
    from runs where project_id = ${project_id} and id = any(${[...run_ids]}::uuid[])
    order by id ${lock}`.execute(ctx.db);
  // Under their locks: an erasure that held one of them until now is seen.
  const erased = await findErased(
    ctx,
    project_id,
    "run",
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, is_erased: erased.has(row.id) }));
}

/** `payload`: the replay's, in place of the run's own. */
export function refuseReplay(original: Original, payload?: unknown): void {
  const { status, workflow_run_id, replayed_at, is_erased } = original;
  if (workflow_run_id !== null)
    throw new ApiError("belongs_to_workflow", "A step of a workflow started this run: retry the step.");
  if (!hasEnded(status)) throw new ApiError("run_not_ended", `The run has not ended: its status is ${status}.`);
  if (replayed_at !== null) throw new ApiError("already_replayed", `The run was already replayed, at ${replayed_at}.`);
  if (is_erased && payload === undefined)
    throw new ApiError("data_deleted", "The payload of the run was deleted: send a new one with the replay.");
}

/** What the new run inherits from the old one. */
export function inheritedFields({ id, ...original }: Original) {
  const { payload, metadata, tags, priority, concurrency_key, environment_id } = original;
  return { payload, metadata, inherited_tags: tags, priority, concurrency_key, environment_id, replay_of: id };
}

/** The link from the old run to the new one. It takes a dead letter out of the dead-letter queue. */
export async function recordReplays(
  tx: Ctx & InTransaction,
  project_id: string,
  replays: readonly { run_id: string; replayed_by: string }[],
): Promise<void> {
  if (replays.length === 0) return;
  await sql`
    update runs r set replayed_by = g.replayed_by, dead_lettered_at = null, updated_at = clock(),
      replayed_at = case when r.dead_lettered_at is null then r.replayed_at else clock() end
    from unnest(${replays.map((each) => each.run_id)}::uuid[], ${replays.map((each) => each.replayed_by)}::uuid[])
      as g(run_id, replayed_by)
    where r.project_id = ${project_id} and r.id = g.run_id
      and r.id = any(${replays.map((each) => each.run_id)}::uuid[])`.execute(tx.db);
}
