import type { Ctx } from "../context.ts";
import { type Sql, sql } from "../database/sql.ts";
import { logFailure } from "../logging/log-failure.ts";
import { perService } from "../service-state.ts";
import type { OldRows, RemovedPage, RetentionEntry } from "./retention-entry.ts";

/** While some entries have a large backlog, the others are visited this often. */
export const ROUND_MS = 60_000;

type Rounds = { startedMs: number; visitedMs: Map<string, number>; unfinished: Set<string> };

const roundsOf = perService((): Rounds => ({ startedMs: 0, visitedMs: new Map(), unfinished: new Set() }));

/**
 * One pass: deletes one page of each entry. As long as some entries have more, only these are visited until the next
 * round begins, so that a backlog neither delays the other entries nor pays for their lookups with each page.
 */
export async function removeOldRows(ctx: Ctx, entries: readonly RetentionEntry[]): Promise<boolean> {
  const rounds = roundsOf(ctx);
  for (const entry of startPass(ctx, rounds, entries)) {
    if (ctx.state.draining) break; // a shutdown waits for one page, not for one of each entry
    if (await visit(ctx, entry)) rounds.unfinished.add(entry.name);
    else rounds.unfinished.delete(entry.name);
  }
  return rounds.unfinished.size > 0 && !ctx.state.draining;
}

function startPass(ctx: Ctx, rounds: Rounds, entries: readonly RetentionEntry[]): RetentionEntry[] {
  const nowMs = ctx.watch.nowMs();
  const hasElapsed = (sinceMs: number, ms: number) => Math.abs(nowMs - sinceMs) >= ms;
  const isNewRound = rounds.unfinished.size === 0 || hasElapsed(rounds.startedMs, ROUND_MS);
  if (isNewRound) rounds.startedMs = nowMs;
  const due = entries.filter(({ name, everyMs = 0 }) => {
    if (rounds.unfinished.has(name)) return true;
    return isNewRound && hasElapsed(rounds.visitedMs.get(name) ?? -Infinity, everyMs);
  });
  for (const { name } of due) rounds.visitedMs.set(name, nowMs);
  return due;
}

/** An entry that fails does not stop the others: it is logged and counted, and visited again in the next round. */
async function visit(ctx: Ctx, entry: RetentionEntry): Promise<boolean> {
  try {
    const { removed, more } = await removePage(ctx, entry);
    ctx.metrics.retentionPages.inc({ entry: entry.name, outcome: "done" });
    ctx.metrics.removedRows.inc({ entry: entry.name }, removed);
    if (removed > 0) ctx.log.debug({ entry: entry.name, removed, more }, "old rows were removed");
    return more;
  } catch (error) {
    ctx.metrics.retentionPages.inc({ entry: entry.name, outcome: "failed" });
    logFailure(ctx, error, { entry: entry.name }, "old rows could not be removed");
    return false;
  }
}

/** Deletes a page of the old rows of an entry. */
export async function removePage(ctx: Ctx, entry: RetentionEntry): Promise<RemovedPage> {
  if ("removePage" in entry) return entry.removePage(ctx, entry.page);
  const table = sql.id(entry.table);
  const { rowCount } = await sql`
    delete from ${table} where ctid = any(array(${findOld(ctx, entry, table)}))`.execute(ctx.db);
  const removed = rowCount ?? 0;
  return { removed, more: removed === entry.page };
}

/** Locks the rows, so that their positions stay valid until they are deleted. */
function findOld(ctx: Ctx, entry: OldRows & { page: number }, table: Sql): Sql {
  const { where = sql`true`, through, page } = entry;
  const order = sql.ref(`t.${entry.order ?? timeOf(entry)}`);
  const old = sql`
    select t.ctid as tid from ${table} t
    where ${isOld(ctx, entry)} and ${typeof where === "function" ? where(ctx) : where}
    order by ${order} limit ${page} for update of t skip locked`;
  return through ? sql`select o.tid from ${through} cross join lateral (${old}) o limit ${page}` : old;
}

function timeOf(entry: OldRows): string {
  return entry.expiresAt ?? entry.at;
}

function isOld(ctx: Ctx, entry: OldRows): Sql {
  const time = sql.ref(`t.${timeOf(entry)}`);
  return entry.expiresAt === undefined ? sql`${time} < ${entry.before(ctx)}` : sql`${time} <= clock()`;
}
