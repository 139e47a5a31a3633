import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { CallerCtx } from "../context.ts";
import { ApiError } from "../errors/errors.ts";
import { type CursorValues, decodeCursor, encodeCursor } from "./cursor.ts";

type PageQuery = { limit?: number; cursor?: string; order?: "asc" | "desc" };
type TimeColumn = "created_at" | "expires_at";
type Sorted<C extends TimeColumn> = { id: string } & Record<C, string>;

export type Page<C extends TimeColumn = "created_at"> = {
  limit: number;
  /** The timestamp column that rows are sorted by, before their ids. */
  sortedBy: C;
  /** `and (created_at, id) < (…)` with the last row of the previous page; empty on the first page. */
  after: RawBuilder<unknown>;
  orderBy: RawBuilder<unknown>;
  binding: string;
};

const DEFAULT_LIMIT = 50;

/**
 * A page of a list sorted by (created_at, id), newest first by default. The cursor holds both values of the last row,
 * so concurrent inserts neither hide nor repeat a row; it is bound to the list and its filters. Columns are qualified
 * with `alias`.
 */
export function readPage(ctx: CallerCtx, list: string, query: PageQuery, alias: string): Page {
  return readPageByTime(ctx, list, query, alias, "created_at");
}

/** The same, sorted by another timestamp. */
export function readPageByTime<C extends TimeColumn>(
  ctx: CallerCtx,
  list: string,
  query: PageQuery,
  alias: string,
  sortedBy: C,
): Page<C> {
  const { limit = DEFAULT_LIMIT, cursor, order = "desc", ...filters } = query;
  const binding = bindingOf([list, "project_id" in ctx ? ctx.project_id : null, order, filters]);
  const sortKey = sql`(${sql.ref(`${alias}.${sortedBy}`)}, ${sql.ref(`${alias}.id`)})`;
  const direction = order === "asc" ? sql`asc` : sql`desc`;
  return {
    limit,
    binding,
    sortedBy,
    after: cursor === undefined ? sql`` : afterCursor(ctx, binding, cursor, sortKey, order),
    orderBy: sql`order by ${sql.ref(`${alias}.${sortedBy}`)} ${direction}, ${sql.ref(`${alias}.id`)} ${direction}`,
  };
}

/**
 * The same, sorted by id alone: ids contain their creation time, so this is the order of creation except for clock
 * differences between instances. For tables that cannot afford another index.
 */
export function readPageById(ctx: CallerCtx, list: string, query: PageQuery, alias: string): Page {
  const page = readPage(ctx, list, query, alias);
  const id = sql.ref(`${alias}.id`);
  const { order = "desc", cursor } = query;
  const last = cursor === undefined ? undefined : decodePosition(ctx, page.binding, cursor);
  const comparison = order === "asc" ? sql`>` : sql`<`;
  return {
    ...page,
    after: last === undefined ? sql`` : sql`and ${id} ${comparison} ${last[1]}::uuid`,
    orderBy: sql`order by ${id} ${order === "asc" ? sql`asc` : sql`desc`}`,
  };
}

/** The same, sorted by a sequence number of the list. The rows carry it as text, as their `id`. */
export function readPageByNumber(ctx: CallerCtx, list: string, query: PageQuery, column: string): Page {
  const page = readPage(ctx, list, query, "");
  const { order = "desc", cursor } = query;
  const last = cursor === undefined ? undefined : decodePosition(ctx, page.binding, cursor);
  const comparison = order === "asc" ? sql`>` : sql`<`;
  return {
    ...page,
    after: last === undefined ? sql`` : sql`and ${sql.ref(column)} ${comparison} ${last[1]}::bigint`,
    orderBy: sql`order by ${sql.ref(column)} ${order === "asc" ? sql`asc` : sql`desc`}`,
  };
}

/** `rows` were read with `limit + 1`: the extra one only shows that there are more. */
export function presentPage<C extends TimeColumn, T extends Sorted<C>>(ctx: CallerCtx, page: Page<C>, rows: T[]) {
  const data = rows.slice(0, page.limit);
  const last = data.at(-1);
  const has_more = rows.length > page.limit;
  const next_cursor = has_more && last ? encodePosition(ctx, page, last) : null;
  return { data, has_more, next_cursor };
}

function afterCursor(
  ctx: CallerCtx,
  binding: string,
  cursor: string,
  sortKey: RawBuilder<unknown>,
  order: "asc" | "desc",
): RawBuilder<unknown> {
  const values = decodePosition(ctx, binding, cursor);
  const comparison = order === "asc" ? sql`>` : sql`<`;
  return sql`and ${sortKey} ${comparison} (${values[0]}::timestamptz, ${values[1]}::uuid)`;
}

export function decodePosition(ctx: CallerCtx, binding: string, cursor: string): CursorValues {
  const values = cursorSecrets(ctx).reduce<CursorValues | undefined>(
    (found, secret) => found ?? decodeCursor(secret, binding, cursor),
    undefined,
  );
  if (!values) throw new ApiError("invalid_cursor", "The cursor was not issued for this list with these filters.");
  return values;
}

function bindingOf(parts: unknown): string {
  return JSON.stringify(parts, (_, value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

export function encodePosition<C extends TimeColumn>(ctx: CallerCtx, page: Page<C>, last: Sorted<C>): string {
  const [secret] = cursorSecrets(ctx);
  if (!secret) throw new Error("JWT_SIGNING_KEY is empty");
  return encodeCursor(secret, page.binding, [last[page.sortedBy], last.id]);
}

/** One for each value of JWT_SIGNING_KEY: the first signs new cursors, all of them verify. */
function cursorSecrets(ctx: CallerCtx): Buffer[] {
  return ctx.config.jwt_signing_keys.map((key) => createHash("sha256").update(`millrace cursor ${key}`).digest());
}
