import { RUN_COLUMNS, type RunRow } from "../../../flow/runs/run-columns.ts";
import { ENDED, hasEnded } from "../../../flow/runs/states.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import { SUMS_CONSUMER } from "../../../platform/changelog/consume-changes.ts";
import { unread } from "../../../platform/changelog/log-range.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { mayHold } from "./bloom-filters.ts";

/** The part of a list that is still to be searched, and its direction. */
export type Range = { above: string; below: string; order: "asc" | "desc" };

const isWithin = ({ above, below }: Range) => sql`r.id > ${above} and r.id < ${below}`;
const direction = ({ order }: Range) => (order === "asc" ? sql`asc` : sql`desc`);
const sorted = (range: Range) => sql`order by r.id ${direction(range)}`;

/** The id of the `count`-th run of a range; null: there are fewer. */
export async function findNth(ctx: ProjectCtx, range: Range, count: number, among: Sql): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select r.id from runs r where r.project_id = ${ctx.project_id} and ${isWithin(range)} ${among}
    ${sorted(range)} limit 1 offset ${count - 1}`.execute(ctx.db);
  return rows[0]?.id ?? null;
}

/** Reads the first runs of a range that meet the conditions. */
export async function readRange(ctx: ProjectCtx, range: Range, conditions: Sql, limit: number): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from runs r
    where r.project_id = ${ctx.project_id} and ${isWithin(range)} and ${visible(ctx, "runs", "r")} ${conditions}
    ${sorted(range)} limit ${limit}`.execute(ctx.db);
  return rows;
}

/** Reads those of the runs that meet the conditions, in the order of the ids. */
export async function readRuns(ctx: ProjectCtx, ids: string[], conditions: Sql, limit: number): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select found.* from unnest(${ids}::uuid[]) with ordinality as wanted(id, nth) cross join lateral (
      select ${RUN_COLUMNS} from runs r
      where r.project_id = ${ctx.project_id} and r.id = wanted.id and ${visible(ctx, "runs", "r")} ${conditions}
      offset 0
    ) found
    order by wanted.nth limit ${limit}`.execute(ctx.db);
  return rows;
}

export type IndexCursor = { position: number };

/** The index task's cursor; undefined: nothing is indexed yet. */
export async function findIndexCursor(ctx: ProjectCtx): Promise<IndexCursor | undefined> {
  const { rows } = await sql<IndexCursor>`
    select position from log_cursors where consumer = ${SUMS_CONSUMER}`.execute(ctx.db);
  return rows[0];
}

export type Candidates = {
  /** How many transitions of all projects are not indexed yet; above MAX_MOVED, `fresh` is incomplete. */
  moved: number;
  /** Runs that changed status since the last indexing pass. */
  fresh: string[];
  /** Runs that are live or ended recently, in order. */
  unindexed: string[];
  /** The last of these that was considered, if there may be more after it. */
  passed: string | null;
  /** Runs of the candidate blocks. */
  indexed: string[];
  /** The start of the next block that was not read. */
  next_block: string | null;
};

export const MAX_MOVED = 30_000;

export type Among = {
  statuses: string[] | null;
  all_of: number[];
  any_of: number[][];
  lasting: number[][];
  blocks: number;
  singles: number;
};

/**
 * Returns every run of the range that can have the statuses and terms, in one snapshot: every existing run is in one of
 * the three sets.
 */
export async function findCandidates(
  ctx: ProjectCtx,
  range: Range,
  { position }: IndexCursor,
  among: Among,
): Promise<Candidates> {
  const { above, below } = range;
  const { rows } = await sql<Candidates>`
    with moved as materialized (
      select u.project_id, m.run_id from ${unread("run", position)} cross join lateral unnest(u.ids) as m(run_id)
      limit ${MAX_MOVED + 1}
    ),
    ${blocksWith(ctx, range, among)},
    ${listedWith(ctx, range, among)},
    chosen as materialized (
      (select run_ids, bloom_filters || ''::bytea as bloom_filters from following
        order by lead ${direction(range)} limit ${among.blocks})
      union all
      select run_ids, bloom_filters || ''::bytea from reaching
    )
    select
      (select count(*)::int from moved) as moved,
      array(select distinct run_id from moved
        where project_id = ${ctx.project_id} and run_id > ${above} and run_id < ${below}) as fresh,
      array(select run_id from listed where ${mayMatchTerms(among.lasting)}
        order by 1 ${direction(range)} limit ${among.singles + 1}) as unindexed,
      (select run_id from listed order by 1 ${direction(range)} offset ${maxListed(among) - 1} limit 1) as passed,
      array(select id from chosen, unnest(run_ids) with ordinality as indexed(id, nth)
        where id > ${above} and id < ${below} and ${mayHold(among.all_of, among.any_of)}) as indexed,
      (select lead from following order by lead ${direction(range)} offset ${among.blocks} limit 1) as next_block`.execute(
    ctx.db,
  );
  if (!rows[0]) throw new Error("no row");
  return rows[0];
}

/**
 * `following`: the next blocks of the range, in order; `reaching`: blocks that start before the range and overlap it.
 */
function blocksWith(ctx: ProjectCtx, range: Range, among: Among): Sql {
  const requested = among.statuses ?? [...ENDED];
  if (among.all_of.length === 0 && among.any_of.length === 0)
    return blocksOfStatus(ctx, range, requested, among.blocks);
  return sql`
    blocks as materialized (${blocksOfTerms(ctx, among, requested)}),
    following as materialized (
      select ${lead(range)} as lead, run_ids, bloom_filters from blocks
      where ${lead(range)} > ${range.above} and ${lead(range)} < ${range.below}
      order by 1 ${direction(range)} limit ${among.blocks + 1}
    ),
    reaching as (select run_ids, bloom_filters from blocks where ${straddlesStart(range)})`;
}

/** Reads the next blocks of each status by its index, then merges them. */
function blocksOfStatus({ project_id }: ProjectCtx, range: Range, statuses: string[], count: number): Sql {
  return sql`
    following as materialized (
      select of_status.lead, of_status.run_ids, of_status.bloom_filters from unnest(${statuses}::text[]) as requested(status) cross join lateral (
        select ${lead(range)} as lead, run_ids, bloom_filters from run_blocks
        where project_id = ${project_id} and status = requested.status
          and ${lead(range)} > ${range.above} and ${lead(range)} < ${range.below}
        order by 1 ${direction(range)} limit ${count + 1}
      ) of_status
      order by 1 ${direction(range)} limit ${count + 1}
    ),
    reaching as (
      select run_ids, bloom_filters from run_blocks
      where project_id = ${project_id} and status = any(${statuses}) and ${straddlesStart(range)}
    )`;
}

/** Compares the project as text, so that the index on terms is used (`platform/database/README.md`). */
function blocksOfTerms({ project_id }: ProjectCtx, { all_of, any_of }: Among, statuses: string[]): Sql {
  const terms = [
    ...(all_of.length > 0 ? [sql`terms @> ${all_of}::int[]`] : []),
    ...any_of.map((each) => sql`terms && ${each}::int[]`),
  ];
  return sql`
    select newest_id, oldest_id, run_ids, bloom_filters from run_blocks
    where ${sql.join(terms, sql` and `)} and project_id::text = ${project_id} and status || '' = any(${statuses})
    union all
    select newest_id, oldest_id, run_ids, bloom_filters from run_blocks
    where project_id = ${project_id} and status = any(${statuses}) and terms is null`;
}

/** The end of a block that a search reaches first. */
const lead = ({ order }: Range) => (order === "asc" ? sql`oldest_id` : sql`newest_id`);

/** Matches a block that starts outside the range, on the side where the search starts, and overlaps it. */
function straddlesStart({ order, above, below }: Range): Sql {
  if (order === "asc") return sql`oldest_id <= ${above} and newest_id > ${above}`;
  return sql`newest_id >= ${below} and oldest_id < ${below}`;
}

/** This many are skipped by their terms in the time it takes to read one in fifty. */
const MAX_SKIPPED = 20_000;

/** How many listed runs are considered: without terms each of them is read. */
const maxListed = ({ lasting, singles }: Among) => (lasting.length > 0 ? MAX_SKIPPED : singles + 1);

/**
 * `listed`: the next runs of the range that are in no block. The index task lists a run with its end or its status;
 * runs that changed since are `fresh`.
 */
function listedWith({ project_id }: ProjectCtx, range: Range, among: Among): Sql {
  const next = sql`order by 1 ${direction(range)} limit ${maxListed(among)}`;
  const within = sql`u.run_id > ${range.above} and u.run_id < ${range.below}`;
  if (among.statuses === null)
    return sql`listed as materialized (
      select u.run_id, u.terms from unindexed_runs u where u.project_id = ${project_id} and ${within} ${next}
    )`;
  const ended = among.statuses.filter(hasEnded);
  const living = among.statuses.filter((status) => !hasEnded(status));
  return sql`listed as materialized (
    select run_id, terms from (
      select u.run_id, u.terms from unnest(${ended}::text[]) as requested(status) cross join lateral (
        select u.run_id, u.terms from unindexed_runs u
        where u.project_id = ${project_id} and ${within} and u.ended_status = requested.status ${next}
      ) u
      union all
      select u.run_id, u.terms from unnest(${living.length > 0 ? [...living, "unknown"] : []}::text[]) as requested(status) cross join lateral (
        select u.run_id, u.terms from unindexed_runs u
        where u.project_id = ${project_id} and ${within} and u.ended_status is null and u.living_status = requested.status ${next}
      ) u
    ) requested ${next}
  )`;
}

/** True if a listed run has one term of each list, or its terms are unknown. */
function mayMatchTerms(lasting: readonly number[][]): Sql {
  if (lasting.length === 0) return sql`true`;
  const each = lasting.map((terms) => sql`terms && ${terms}::int[]`);
  return sql`(terms is null or terms = '{}' or (${sql.join(each, sql` and `)}))`;
}
