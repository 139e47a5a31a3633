import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../../../platform/context.ts";
import { ApiError } from "../../../platform/errors/errors.ts";

/** Runs connected by spawning. */
const MAX_RUNS_IN_TREE = 100_000;

/** Runs spawn at most 32 levels deep. */
const DEEPEST = 64;

/**
 * Counts a new child into the tree of its run, or refuses it: a tree beyond this size is taken for a cycle. One row per
 * tree, none for runs that spawn nothing. Called after the locks of runs, in the transaction that creates the child.
 */
export async function growTree(ctx: Ctx, project_id: string, parent_run_id: string): Promise<void> {
  const { rows } = await sql`
    with recursive above(id, parent_run_id, level) as (${ancestorsOf(project_id, parent_run_id)})
    insert into run_trees as t (project_id, root_run_id, runs, updated_at)
    select ${project_id}, id, 2, clock() from above order by level desc limit 1
    on conflict (project_id, root_run_id) do update set runs = t.runs + 1, updated_at = clock()
    where t.runs < ${MAX_RUNS_IN_TREE}
    returning 1`.execute(ctx.db);
  if (rows.length === 0) throw treeTooLarge();
}

/** Refuses a child that `growTree` would refuse, without counting. */
export async function refuseFullTree(ctx: Ctx, project_id: string, parent_run_id: string): Promise<void> {
  const { rows } = await sql`
    with recursive above(id, parent_run_id, level) as (${ancestorsOf(project_id, parent_run_id)})
    select 1 from run_trees t where t.project_id = ${project_id} and t.runs >= ${MAX_RUNS_IN_TREE}
      and t.root_run_id = (select id from above order by level desc limit 1)`.execute(ctx.db);
  if (rows.length > 0) throw treeTooLarge();
}

function ancestorsOf(project_id: string, parent_run_id: string): RawBuilder<unknown> {
  return sql`
    select r.id, r.parent_run_id, 0 from runs r where r.project_id = ${project_id} and r.id = ${parent_run_id}
    union all
    select r.id, r.parent_run_id, a.level + 1 from above a
    join runs r on r.project_id = ${project_id} and r.id = a.parent_run_id where a.level < ${DEEPEST}`;
}

function treeTooLarge(): ApiError {
  return new ApiError(
    "run_tree_too_large",
    `The run belongs to a tree of ${MAX_RUNS_IN_TREE} runs, the maximum: no more can be added.`,
  );
}
