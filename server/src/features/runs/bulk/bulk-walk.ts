import { visible } from "../../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { isDatabaseTimeout } from "../../../platform/database/database-errors.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { firstIdAt } from "../../../platform/ids.ts";
import type { RunSelection, RunSource } from "./bulk-selection.ts";

/** A batch's cursor: the source and the last run scanned in it. */
type WalkCursor = { source: RunSource; after: string };

/** `workflow_run_id`: set for a step's run. */
export type FoundRun = { id: string; workflow_run_id: string | null };

/** Scans only runs that existed when the batch was created: `until` has its id and creation time. */
export type Walk = { selection: RunSelection; until: { id: string; created_at: string } };

export type Found = { runs: FoundRun[]; cursor: WalkCursor; is_over: boolean };

/** How many runs one statement scans, however few of them match. */
const WINDOW = 1_000;
const MAX_WINDOWS = 5;
/** Allowed clock skew between instances, which generate the ids. */
const MAX_SKEW_MS = 600_000;

/**
 * Finds the next matching runs by id, which is creation order: parents before children. Scans a bounded number of runs;
 * an empty page does not mean the end.
 */
export async function findNext(ctx: ProjectCtx, walk: Walk, from: unknown, max: number): Promise<Found> {
  let cursor = (from as WalkCursor | null) ?? startOf(walk.selection);
  for (let windows = 0; windows < MAX_WINDOWS; windows++) {
    const { runs, last, isExhausted } = await readWindow(ctx, walk, cursor, max);
    cursor = { ...cursor, after: last ?? cursor.after };
    if (!isExhausted) return { runs, cursor, is_over: false };
    const next = nextSource(walk.selection, cursor);
    if (last === undefined && next === undefined) return { runs, cursor, is_over: true };
    if (last === undefined && next !== undefined) cursor = { source: next, after: walk.selection.above };
    if (runs.length > 0) return { runs, cursor, is_over: false };
  }
  return { runs: [], cursor, is_over: false };
}

/** Counts the runs that match now. Null: the count exceeded the statement timeout. */
export async function countFitting(ctx: ProjectCtx, selection: RunSelection): Promise<number | null> {
  try {
    return await count(ctx, selection);
  } catch (error) {
    if (isDatabaseTimeout(error)) return null;
    throw error;
  }
}

async function count(ctx: ProjectCtx, { sources, where, above, below }: RunSelection): Promise<number> {
  const isQueued = sources.every((source) => source === "queue");
  const queued = sql`and r.id in (select q.run_id from run_queue q where q.project_id = ${ctx.project_id})`;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from runs r
    where r.project_id = ${ctx.project_id} and r.id > ${above} and r.id < ${below} ${isQueued ? queued : sql``}
      ${where}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

/** Returns which of these runs still match. */
export async function filterMatching(ctx: ProjectCtx, { where }: RunSelection, ids: string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select r.id from runs r
    where r.project_id = ${ctx.project_id} and r.id = any(${ids}::uuid[]) ${where}`.execute(ctx.db);
  return new Set(rows.map((row) => row.id));
}

function startOf({ sources, above }: RunSelection): WalkCursor {
  return { source: sources[0] ?? "runs", after: above };
}

function nextSource({ sources }: RunSelection, { source }: WalkCursor): RunSource | undefined {
  return sources[sources.indexOf(source) + 1];
}

type Look = { runs: FoundRun[]; last: string | undefined; isExhausted: boolean };

/** Looks each run of the window up by its key, so the cost does not depend on the filter. */
async function readWindow(ctx: ProjectCtx, walk: Walk, { source, after }: WalkCursor, max: number): Promise<Look> {
  const { rows } = await sql<{ id: string | null; workflow_run_id: string | null; last: string | null }>`
    with windowed as materialized (${windowOf(ctx.project_id, source, [after, lastIdOf(walk)])}),
    fitting as materialized (
      select r.id, r.workflow_run_id from windowed l cross join lateral (
        select r.id, r.workflow_run_id from runs r
        where r.project_id = ${ctx.project_id} and r.id = l.id and r.created_at <= ${walk.until.created_at}::timestamptz
          ${walk.selection.where}
        offset 0
      ) r
      order by r.id limit ${max}
    )
    select f.id, f.workflow_run_id, w.last
    from (select (select id from windowed order by id desc limit 1) as last) w
    left join fitting f on true order by f.id`.execute(ctx.db);
  const runs = rows.flatMap(({ id, workflow_run_id }) => (id === null ? [] : [{ id, workflow_run_id }]));
  const isExhausted = runs.length < max;
  const last = isExhausted ? rows[0]?.last : runs.at(-1)?.id;
  return { runs, last: last ?? undefined, isExhausted };
}

function windowOf(project_id: string, source: RunSource, [after, until]: [string, string]): Sql {
  if (source === "queue")
    return sql`select q.run_id as id from run_queue q
      where q.project_id = ${project_id} and q.run_id > ${after} and q.run_id < ${until}
      order by q.run_id limit ${WINDOW}`;
  const isListed = source === "dead_letters" ? sql`and a.dead_lettered_at is not null` : sql``;
  return sql`select a.id from runs a
    where a.project_id = ${project_id} and a.id > ${after} and a.id < ${until} ${isListed}
    order by a.id limit ${WINDOW}`;
}

/** Without this bound the scan would never end while runs are created faster than it reads. */
function lastIdOf({ until, selection: { below } }: Walk): string {
  const ms = Number.parseInt(until.id.replace("-", "").slice(0, 12), 16);
  const latest = firstIdAt(ms + MAX_SKEW_MS);
  return below < latest ? below : latest;
}

/** Finds the named runs that the caller may see. */
export async function findNamed(ctx: ProjectCtx, run_ids: readonly string[]): Promise<Map<string, FoundRun>> {
  const { rows } = await sql<FoundRun>`
    select r.id, r.workflow_run_id from runs r
    where r.project_id = ${ctx.project_id} and r.id = any(${[...run_ids]}::uuid[])
      and ${visible(ctx, "runs", "r")}`.execute(ctx.db);
  return new Map(rows.map((row) => [row.id, row]));
}
