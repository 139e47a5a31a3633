import { sequenceChanges } from "../../platform/changelog/sequence-changes.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Sql } from "../../platform/database/sql.ts";
import { sql } from "../../platform/database/sql.ts";
import type { ClaimedDrain, DrainCursor } from "./claim-drains.ts";
import { MAX_AGE_SECS, MAX_RECORDS, MIN_KEPT_RECORDS } from "./drain-rules.ts";
import type { Request } from "./send-records.ts";

/** A record with its place in the order in which a drain sends. */
export type Placed = { position: number; id: string; created_at: string };
export type Formatted = { content_type: string; body: string };

/** What a drain sends: where its records come from, and how a request with some of them looks. */
export type Signal<R extends Placed> = {
  read: (ctx: Ctx, drain: ClaimedDrain) => Promise<Unsent<R>>;
  /** The records to drop because they have waited for too long. Absent: none are. */
  findOld?: (ctx: Ctx, drain: ClaimedDrain) => Promise<Dropped | undefined>;
  /** With a record about those that were dropped, if the signal has a form for it. */
  format: (ctx: Ctx, drain: ClaimedDrain, records: readonly R[]) => Formatted | Request;
  /** The bytes that a record takes in a request. Absent: they are not known before it is formatted. */
  sizeOf?: (record: R) => number;
  reportsDropped: boolean;
};

/** `end`: the cursor after everything that was read, if there are no further records there. */
export type Unsent<R> = { records: R[]; end: (DrainCursor & { is_all: boolean }) | undefined };

/** The changes a drain reads, as rows `l` with their place, and the records of those that match it, from `scanned l`. */
export type FromChangelog = { entries: Sql; records: Sql };

/**
 * The next records of a drain in the order of the changelog. Most drains want everything, so that as many as are sent
 * are enough; where few match, many are read.
 */
export async function readUnsent<R extends Placed>(ctx: Ctx, from: FromChangelog): Promise<Unsent<R>> {
  await sequenceChanges(ctx);
  const few = await readAmong<R>(ctx, from, MAX_RECORDS);
  return few.end?.is_all === false ? readAmong(ctx, from, MAX_SCANNED) : few;
}

/** A drain that fell far behind and wants few of them catches up in bounded steps. */
const MAX_SCANNED = 20_000;

type Row<R> = R & { head: number; cut_position: number | null; cut_id: string | null };

/** The matching ones among this many entries. */
async function readAmong<R extends Placed>(
  ctx: Ctx,
  { entries, records }: FromChangelog,
  max: number,
): Promise<Unsent<R>> {
  const { rows } = await sql<Row<R>>`
    with scanned as materialized (select l.* from ${entries} order by l.position, l.id limit ${max}),
    matching as (${records} order by l.position, l.id limit ${MAX_RECORDS}),
    cut as (select l.position, l.id from scanned l order by l.position, l.id offset ${max - 1} limit 1)
    select matching.*, h.position as head, cut.position as cut_position, cut.id as cut_id
    from changelog_head h left join cut on true left join matching on true
    order by matching.position, matching.id`.execute(ctx.db);
  const found = rows.filter((row) => row.position !== null);
  return { records: found, end: found.length < MAX_RECORDS && rows[0] ? endOf(rows[0]) : undefined };
}

function endOf({ head, cut_position, cut_id }: Row<unknown>): DrainCursor & { is_all: boolean } {
  if (cut_position !== null && cut_id !== null) return { position: cut_position, after_id: cut_id, is_all: false };
  return { position: head, after_id: LAST_ID, is_all: true };
}

/** Where a new drain begins: with what commits after position `now`. Those of metrics count minutes instead. */
export function firstPosition(signal: ClaimedDrain["signal"], now: number): number {
  return signal === "metrics" ? 0 : now;
}

export const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Per call: the caller repeats it if there are more. */
const MAX_DROPPED = 50_000;

export type Dropped = { cursor: DrainCursor; count: number };

/**
 * The records that a drain drops: those that have waited for more than an hour while more than a hundred thousand newer
 * ones wait after them. `unsent`: all of them, as rows `l` with their place.
 */
export async function findOldRecords(ctx: Ctx, unsent: Sql): Promise<Dropped | undefined> {
  const { rows } = await sql<{ position: number; id: string; count: number }>`
    with newest_kept as materialized (
      select l.position, l.id from ${unsent} order by l.position desc, l.id desc offset ${MIN_KEPT_RECORDS} limit 1
    ),
    old as materialized (
      select l.position, l.id from ${unsent}
      where (l.position, l.id) <= (select position, id from newest_kept)
        and l.created_at < clock() - ${MAX_AGE_SECS} * interval '1 second'
      order by l.position, l.id limit ${MAX_DROPPED}
    )
    select position, id, (select count(*) from old)::int as count
    from old order by old.position desc, old.id desc limit 1`.execute(ctx.db);
  const last = rows[0];
  if (!last) return undefined;
  return { cursor: { position: last.position, after_id: last.id }, count: last.count };
}
