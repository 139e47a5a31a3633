import { type RawBuilder, sql } from "kysely";
import type { Ctx } from "../context.ts";
import type { OldRows, RemovedPage, RetentionEntry } from "./retention-entry.ts";

/** Deletes a page of the old rows of an entry. */
export async function removePage(ctx: Ctx, entry: RetentionEntry): Promise<RemovedPage> {
  if ("removePage" in entry) return entry.removePage(ctx, entry.page);
  const table = sql.table(entry.table);
  const { numAffectedRows } = await sql`
    delete from ${table} where ctid = any(array(${findOld(ctx, entry, table)}))`.execute(ctx.db);
  const removed = Number(numAffectedRows ?? 0);
  return { removed, more: removed === entry.page };
}

/** Locks the rows, so that their place stays valid until they are deleted. */
function findOld(ctx: Ctx, entry: OldRows & { page: number }, table: RawBuilder<unknown>): RawBuilder<unknown> {
  const { where = sql`true`, through, page } = entry;
  const order = sql.ref(`t.${entry.order ?? timeOf(entry)}`);
  const old = sql`
    select t.ctid as place from ${table} t
    where ${isOld(ctx, entry)} and ${typeof where === "function" ? where(ctx) : where}
    order by ${order} limit ${page} for update of t skip locked`;
  return through ? sql`select o.place from ${through} cross join lateral (${old}) o limit ${page}` : old;
}

function timeOf(entry: OldRows): string {
  return entry.expiresAt ?? entry.at;
}

function isOld(ctx: Ctx, entry: OldRows): RawBuilder<unknown> {
  const time = sql.ref(`t.${timeOf(entry)}`);
  return entry.expiresAt === undefined ? sql`${time} < ${entry.before(ctx)}` : sql`${time} <= clock()`;
}
