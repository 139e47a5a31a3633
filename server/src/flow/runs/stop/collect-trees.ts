import type { Ctx } from "../../../platform/context.ts";
import { fewRows } from "../../../platform/database/few-rows.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { LIVE_STATUSES } from "../states.ts";

/** Runs spawn at most 32 levels deep. */
const MAX_DEPTH = 64;

export type TreeNode = { id: string; root: string };

/**
 * The descendants of runs that have not ended, parents before children, up to a maximum. A run below two of them is
 * returned once. Reads without a lock. An ended run may have active children.
 */
export async function collectTrees(
  ctx: Ctx,
  project_id: string,
  roots: readonly string[],
  max: number,
): Promise<TreeNode[]> {
  const { rows } = await sql<TreeNode>`
    ${treeBelow(project_id, roots)}
    select id, min(root) as root from tree where status = any(${LIVE_STATUSES}::text[])
    group by id order by min(depth), id limit ${max}`.execute(ctx.db);
  return rows;
}

/** Those with descendants that have not ended. */
export async function findUnfinished(ctx: Ctx, project_id: string, roots: readonly string[]): Promise<string[]> {
  if (roots.length === 0) return [];
  const { rows } = await sql<{ root: string }>`
    ${treeBelow(project_id, roots)}
    select distinct root from tree where status = any(${LIVE_STATUSES}::text[])`.execute(ctx.db);
  return rows.map((row) => row.root);
}

function treeBelow(project_id: string, roots: readonly string[]): Sql {
  return sql`
    with recursive tree as (
      select u.root::uuid as id, u.root, '' as status, 0 as depth
      from unnest(${[...roots]}::text[]) as u(root) where ${fewRows("u.root")}
      union all
      select r.id, tree.root, r.status, tree.depth + 1 from tree, lateral (
        select r.id, r.status from runs r
        where r.project_id = ${project_id} and r.parent_run_id = tree.id and r.parent_run_id is not null offset 0
      ) r
      where tree.depth < ${MAX_DEPTH}
    )`;
}
