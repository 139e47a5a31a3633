import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { ApiError } from "../../../platform/errors/errors.ts";

/** The maximum depth of events that cause events: a deeper chain is treated as a cycle. */
export const MAX_CHAIN_LENGTH = 50;

/** More steps upwards than any chain takes: runs spawn 32 levels deep, and workflows start workflows. */
const MAX_STEPS = 200;

export type ChainLink = { kind: "run" | "workflow_run"; id: string };

/**
 * How many events led to a run or workflow run: those that started it or an ancestor, and those that steps emitted to
 * it. Follows the creators upwards, only when an event is about to be emitted: runs store nothing for it.
 */
export async function chainDepth(ctx: Ctx, project_id: string, from: ChainLink): Promise<number> {
  const { rows } = await sql<{ depth: number }>`
    /* prepared */
    with recursive above(kind, id, step) as (
      select ${from.kind}::text, ${from.id}::uuid, 0
      union
      select n.kind, n.id, above.step + 1 from above cross join lateral (
        select 'run' as kind, r.parent_run_id as id from runs r
        where above.kind = 'run' and r.project_id = ${project_id} and r.id = above.id
        union all
        select 'workflow_run', r.workflow_run_id from runs r
        where above.kind = 'run' and r.project_id = ${project_id} and r.id = above.id
        union all
        select split_part(r.created_by, ':', 1), split_part(r.created_by, ':', 2)::uuid from runs r
        where above.kind = 'run' and r.project_id = ${project_id} and r.id = above.id and r.created_by ~ ${CREATOR}
        union all
        select split_part(w.created_by, ':', 1), split_part(w.created_by, ':', 2)::uuid from workflow_runs w
        where above.kind = 'workflow_run' and w.project_id = ${project_id} and w.id = above.id and w.created_by ~ ${CREATOR}
      ) n
      where n.id is not null and above.step < ${MAX_STEPS}
    )
    select coalesce(max(coalesce(r.chain_depth, w.chain_depth, e.chain_depth)), 0) as depth
    from (select distinct kind, id from above) a
    left join runs r on a.kind = 'run' and r.project_id = ${project_id} and r.id = a.id
    left join workflow_runs w on a.kind = 'workflow_run' and w.project_id = ${project_id} and w.id = a.id
    left join source_events e on a.kind = 'event' and e.project_id = ${project_id} and e.id = a.id`.execute(ctx.db);
  return rows[0]?.depth ?? 0;
}

const CREATOR = "^(run|workflow_run|event):[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

/** Runs connected by spawning. */
const MAX_RUNS_IN_TREE = 100_000;

/** Runs spawn at most 32 levels deep. */
const MAX_DEPTH = 64;

/**
 * Counts a new child into the tree of its run, or refuses it: a tree beyond this size is treated as a cycle. One row per
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

function ancestorsOf(project_id: string, parent_run_id: string): Sql {
  return sql`
    select r.id, r.parent_run_id, 0 from runs r where r.project_id = ${project_id} and r.id = ${parent_run_id}
    union all
    select r.id, r.parent_run_id, a.level + 1 from above a
    join runs r on r.project_id = ${project_id} and r.id = a.parent_run_id where a.level < ${MAX_DEPTH}`;
}

function treeTooLarge(): ApiError {
  return new ApiError(
    "run_tree_too_large",
    `The run belongs to a tree of ${MAX_RUNS_IN_TREE} runs, the maximum: no more can be added.`,
  );
}
