import { type RawBuilder, sql } from "kysely";
import { ENDED } from "../../../flow/runs/states.ts";
import type { ProjectCtx } from "../../../platform/context.ts";

/** The part of a list that is still to be searched, and its direction. */
export type Range = { above: string; below: string; order: "asc" | "desc" };

export type Among = {
  statuses: string[] | null;
  all_of: number[];
  any_of: number[][];
  lasting: number[][];
  blocks: number;
  singles: number;
};

export const direction = ({ order }: Range) => (order === "asc" ? sql`asc` : sql`desc`);

/**
 * `following`: the next blocks of the range, in order; `reaching`: blocks that start before the range and overlap it.
 */
export function blocksWith(ctx: ProjectCtx, range: Range, among: Among): RawBuilder<unknown> {
  const requested = among.statuses ?? [...ENDED];
  if (among.all_of.length === 0 && among.any_of.length === 0)
    return blocksOfStatus(ctx, range, requested, among.blocks);
  return sql`
    blocks as materialized (${blocksOfTerms(ctx, among, requested)}),
    following as materialized (
      select ${lead(range)} as lead, run_ids, marks from blocks
      where ${lead(range)} > ${range.above} and ${lead(range)} < ${range.below}
      order by 1 ${direction(range)} limit ${among.blocks + 1}
    ),
    reaching as (select run_ids, marks from blocks where ${reachesInto(range)})`;
}

/** Reads the next blocks of each status by its index, then merges them. */
function blocksOfStatus(
  { project_id }: ProjectCtx,
  range: Range,
  statuses: string[],
  count: number,
): RawBuilder<unknown> {
  return sql`
    following as materialized (
      select of_status.lead, of_status.run_ids, of_status.marks from unnest(${statuses}::text[]) as requested(status) cross join lateral (
        select ${lead(range)} as lead, run_ids, marks from run_blocks
        where project_id = ${project_id} and status = requested.status
          and ${lead(range)} > ${range.above} and ${lead(range)} < ${range.below}
        order by 1 ${direction(range)} limit ${count + 1}
      ) of_status
      order by 1 ${direction(range)} limit ${count + 1}
    ),
    reaching as (
      select run_ids, marks from run_blocks
      where project_id = ${project_id} and status = any(${statuses}) and ${reachesInto(range)}
    )`;
}

/**
 * Compares the project as text, so that the planner cannot choose an index on it over the one on terms, whatever its
 * estimates.
 */
function blocksOfTerms({ project_id }: ProjectCtx, { all_of, any_of }: Among, statuses: string[]): RawBuilder<unknown> {
  const terms = [
    ...(all_of.length > 0 ? [sql`terms @> ${all_of}::int[]`] : []),
    ...any_of.map((each) => sql`terms && ${each}::int[]`),
  ];
  return sql`
    select newest_id, oldest_id, run_ids, marks from run_blocks
    where ${sql.join(terms, sql` and `)} and project_id::text = ${project_id} and status || '' = any(${statuses})
    union all
    select newest_id, oldest_id, run_ids, marks from run_blocks
    where project_id = ${project_id} and status = any(${statuses}) and terms is null`;
}

/** The end of a block that a search reaches first. */
const lead = ({ order }: Range) => (order === "asc" ? sql`oldest_id` : sql`newest_id`);

/** Matches a block that starts outside the range, on the side where the search starts, and overlaps it. */
function reachesInto({ order, above, below }: Range): RawBuilder<unknown> {
  if (order === "asc") return sql`oldest_id <= ${above} and newest_id > ${above}`;
  return sql`newest_id >= ${below} and oldest_id < ${below}`;
}
