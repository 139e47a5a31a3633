import type { TriggerItem } from "@millrace/contract/events/triggers";
import { growTree, refuseFullTree } from "../../../flow/runs/create/loop-guards.ts";
import type { Trigger } from "../../../flow/runs/create/prepare-run.ts";
import { contextOfAttempt, type TracedRun } from "../../../flow/trace.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { ApiError, invalid } from "../../../platform/errors/errors.ts";
import { readCommonFields } from "../../../platform/triggers/submit-trigger.ts";

const MAX_DEPTH = 32; // of runs started by runs

/** The request of the caller, checked as far as possible without the job. `at` is its location in the body. */
export async function readTrigger(ctx: ProjectCtx, item: TriggerItem, at: string, isDryRun = false): Promise<Trigger> {
  const { parent_run_id } = item;
  const common = await readCommonFields(ctx, item, at);
  const parent = parent_run_id === undefined ? undefined : await readParent(ctx, parent_run_id, at);
  // Counted before the run is created: if the trigger is rejected, the tree's limit is reached slightly early.
  if (parent_run_id !== undefined) await (isDryRun ? refuseFullTree : growTree)(ctx, ctx.project_id, parent_run_id);
  if (item.depends_on_run_ids) await checkDependencies(ctx, item.depends_on_run_ids, at);
  return {
    payload: item.payload,
    metadata: item.metadata,
    tags: item.tags,
    priority: item.priority,
    concurrency_key: item.concurrency_key,
    idempotency_key: item.idempotency_key,
    delay_secs: item.delay_secs,
    timeout_secs: item.timeout_secs,
    max_attempts: item.max_attempts,
    depends_on_run_ids: item.depends_on_run_ids,
    parent_run_id: parent?.parent_run_id,
    spawn_depth: parent?.spawn_depth,
    at,
    ...common,
    traceparent: common.traceparent ?? parent?.traceparent,
  };
}

async function readParent(ctx: ProjectCtx, parent_run_id: string, at: string) {
  const { rows } = await sql<TracedRun & { spawn_depth: number; attempt: number }>`
    select spawn_depth, attempt, id, workflow_run_id, step_ref, traceparent from runs r
    where project_id = ${ctx.project_id} and id = ${parent_run_id} and ${visible(ctx, "runs", "r")}`.execute(ctx.db);
  const [parent] = rows;
  if (!parent) throw invalid(`${at}.parent_run_id`, "is not a run of this project", parent_run_id);
  if (parent.spawn_depth >= MAX_DEPTH) {
    throw invalid(`${at}.parent_run_id`, `is already ${MAX_DEPTH} runs deep`, parent_run_id, "spawn_depth_exceeded");
  }
  return { parent_run_id, spawn_depth: parent.spawn_depth + 1, traceparent: contextOfAttempt(parent, parent.attempt) };
}

/** Rejects the ids of runs that do not exist or that the caller may not see, each with its location. */
async function checkDependencies(ctx: ProjectCtx, run_ids: string[], at: string): Promise<void> {
  const { rows } = await sql<{ id: string; nth: number }>`
    select g.id, g.nth::int - 1 as nth from unnest(${run_ids}::uuid[]) with ordinality as g(id, nth)
    where not exists (
      select 1 from runs r
      where r.project_id = ${ctx.project_id} and r.id = g.id and ${visible(ctx, "runs", "r")} offset 0)
    order by g.nth`.execute(ctx.db);
  if (rows.length === 0) return;
  const errors = rows.map(({ id, nth }) => ({
    location: `${at}.depends_on_run_ids[${nth}]`,
    message: "is not a run of this project",
    value: id,
  }));
  const locations = errors.map(({ location }) => location).join(", ");
  throw new ApiError("validation_failed", `${locations}: is not a run of this project`, { errors });
}
