import { type RawBuilder, sql } from "kysely";
import { RUN_COLUMNS, type RunRow } from "../../../flow/runs/run-columns.ts";
import { visible } from "../../../platform/access/policies/visibility.ts";
import { SUMS_CONSUMER } from "../../../platform/changelog/consume-changes.ts";
import { unread } from "../../../platform/changelog/log-range.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { mayHold } from "./run-marks.ts";
import { type Among, blocksWith, direction, type Range } from "./search-blocks.ts";
import { listedWith, maxListed, mayMatchTerms } from "./search-listed.ts";

const isWithin = ({ above, below }: Range) => sql`r.id > ${above} and r.id < ${below}`;
const sorted = ({ order }: Range) => (order === "asc" ? sql`order by r.id asc` : sql`order by r.id desc`);

/** The id of the `count`-th run of a range; null: there are fewer. */
export async function findNth(
  ctx: ProjectCtx,
  range: Range,
  count: number,
  among: RawBuilder<unknown>,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select r.id from runs r where r.project_id = ${ctx.project_id} and ${isWithin(range)} ${among}
    ${sorted(range)} limit 1 offset ${count - 1}`.execute(ctx.db);
  return rows[0]?.id ?? null;
}

/** Reads the first runs of a range that meet the conditions. */
export async function readRange(
  ctx: ProjectCtx,
  range: Range,
  conditions: RawBuilder<unknown>,
  limit: number,
): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from runs r
    where r.project_id = ${ctx.project_id} and ${isWithin(range)} and ${visible(ctx, "runs", "r")} ${conditions}
    ${sorted(range)} limit ${limit}`.execute(ctx.db);
  return rows;
}

/** Reads those of the runs that meet the conditions, in the order of the ids. */
export async function readRuns(
  ctx: ProjectCtx,
  ids: string[],
  conditions: RawBuilder<unknown>,
  limit: number,
): Promise<RunRow[]> {
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
      (select run_ids, marks || ''::bytea as marks from following
        order by lead ${direction(range)} limit ${among.blocks})
      union all
      select run_ids, marks || ''::bytea from reaching
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
