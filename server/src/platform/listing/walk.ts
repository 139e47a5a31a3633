import type { CallerCtx } from "../context.ts";
import { decodePosition, encodePosition, type Page, readPageById } from "./page.ts";

/**
 * A page of a list sorted by id whose matching rows may be far apart. It ends when it is full, or when enough rows were
 * scanned: then it is shorter than requested, perhaps empty, and its cursor continues from there. This bounds the time
 * of every page.
 */
export type Walk = { limit: number; order: "asc" | "desc"; after_id: string | null; page: Page };

type WalkQuery = { limit?: number; cursor?: string; order?: "asc" | "desc" };

export function readWalk(ctx: CallerCtx, list: string, query: WalkQuery, alias: string): Walk {
  const page = readPageById(ctx, list, query, alias);
  const after_id = query.cursor === undefined ? null : String(decodePosition(ctx, page.binding, query.cursor)[1]);
  return { limit: page.limit, order: query.order ?? "desc", after_id, page };
}

type Sorted = { created_at: string; id: string };

/** `rows`: up to `limit + 1` of them. `stopped_at`: everything up to and including that row was scanned; null: all. */
export function presentPart<T extends Sorted>(ctx: CallerCtx, page: Page, rows: T[], stopped_at: Sorted | null) {
  const data = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? data.at(-1) : stopped_at;
  const next_cursor = last ? encodePosition(ctx, page, last) : null;
  return { data, has_more: next_cursor !== null, next_cursor };
}

/** The same for a list sorted by id alone. */
export function presentWalk<T extends Sorted>(ctx: CallerCtx, { page }: Walk, rows: T[], stopped_at: string | null) {
  return presentPart(ctx, page, rows, stopped_at === null ? null : { created_at: "", id: stopped_at });
}
