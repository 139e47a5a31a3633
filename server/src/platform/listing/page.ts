import { Buffer } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { CallerCtx } from "../context.ts";
import { type Sql, sql } from "../database/sql.ts";
import { ApiError } from "../errors/errors.ts";

type PageQuery = { limit?: number; cursor?: string; order?: "asc" | "desc" };
type TimeColumn = "created_at" | "expires_at" | "last_seen_at";
type Sorted<C extends TimeColumn> = { id: string } & Record<C, string>;

export type Page<C extends TimeColumn = "created_at"> = {
  limit: number;
  /** The timestamp column that rows are sorted by, before their ids. */
  sortedBy: C;
  /** `and (created_at, id) < (…)` with the last row of the previous page; empty on the first page. */
  after: Sql;
  orderBy: Sql;
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
  return readPageByKey(ctx, list, query, column, sql`bigint`);
}

/** The same, sorted by a name. The rows carry it as their `id`. */
export function readPageByText(ctx: CallerCtx, list: string, query: PageQuery, column: string): Page {
  return readPageByKey(ctx, list, query, column, sql`text`);
}

function readPageByKey(ctx: CallerCtx, list: string, query: PageQuery, column: string, type: Sql): Page {
  const page = readPage(ctx, list, query, "");
  const { order = "desc", cursor } = query;
  const last = cursor === undefined ? undefined : decodePosition(ctx, page.binding, cursor);
  const comparison = order === "asc" ? sql`>` : sql`<`;
  return {
    ...page,
    after: last === undefined ? sql`` : sql`and ${sql.ref(column)} ${comparison} ${last[1]}::${type}`,
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

function afterCursor(ctx: CallerCtx, binding: string, cursor: string, sortKey: Sql, order: "asc" | "desc"): Sql {
  const values = decodePosition(ctx, binding, cursor);
  const comparison = order === "asc" ? sql`>` : sql`<`;
  return sql`and ${sortKey} ${comparison} (${values[0]}::timestamptz, ${values[1]}::uuid)`;
}

function decodePosition(ctx: CallerCtx, binding: string, cursor: string): CursorValues {
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

function encodePosition<C extends TimeColumn>(ctx: CallerCtx, page: Page<C>, last: Sorted<C>): string {
  const [secret] = cursorSecrets(ctx);
  if (!secret) throw new Error("JWT_SIGNING_KEY is empty");
  return encodeCursor(secret, page.binding, [last[page.sortedBy], last.id]);
}

/** One for each value of JWT_SIGNING_KEY: the first signs new cursors, all of them verify. */
function cursorSecrets(ctx: CallerCtx): Buffer[] {
  return ctx.config.jwt_signing_keys.map((key) => createHash("sha256").update(`millrace cursor ${key}`).digest());
}

type CursorValues = readonly (string | number | null)[];

/**
 * Creates the opaque cursor of a page's end. `binding` is project, route and filters: the cursor is valid only for
 * them. Throws when the values are too long for decodeCursor.
 */
export function encodeCursor(secret: Buffer, binding: string, values: CursorValues): string {
  const content = Buffer.from(JSON.stringify(values));
  const text = Buffer.concat([sign(secret, binding, content), content]).toString("base64url");
  if (text.length > MAX_LENGTH) throw new Error(`A cursor of ${text.length} characters is longer than ${MAX_LENGTH}.`);
  return text;
}

/** Returns the values of a cursor, or undefined if encodeCursor did not make it for this binding. Never throws. */
export function decodeCursor(secret: Buffer, binding: string, text: string): CursorValues | undefined {
  if (text.length > MAX_LENGTH || !BASE64URL.test(text)) return undefined;
  const decoded = Buffer.from(text, "base64url");
  // Decoding ignores spare bits in the last character: only the canonical spelling is accepted.
  if (decoded.length <= MAC_BYTES || decoded.toString("base64url") !== text) return undefined;

  const content = decoded.subarray(MAC_BYTES);
  if (!timingSafeEqual(decoded.subarray(0, MAC_BYTES), sign(secret, binding, content))) return undefined;
  return JSON.parse(content.toString("utf8")) as CursorValues;
}

const MAC_BYTES = 16;
const MAX_LENGTH = 1024;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

// The length prefix separates (binding, content) pairs whose concatenation is the same.
function sign(secret: Buffer, binding: string, content: Buffer): Buffer {
  return createHmac("sha256", secret)
    .update(`${Buffer.byteLength(binding)}:${binding}`)
    .update(content)
    .digest()
    .subarray(0, MAC_BYTES);
}

/**
 * A page of a list sorted by id whose matching rows may be far apart. It ends when it is full, or when enough rows were
 * scanned: then it is shorter than requested, perhaps empty, and its cursor continues from there. This bounds the time
 * of every page.
 */
type Walk = { limit: number; order: "asc" | "desc"; after_id: string | null; page: Page };

type WalkQuery = { limit?: number; cursor?: string; order?: "asc" | "desc" };

export function readWalk(ctx: CallerCtx, list: string, query: WalkQuery, alias: string): Walk {
  const page = readPageById(ctx, list, query, alias);
  const after_id = query.cursor === undefined ? null : String(decodePosition(ctx, page.binding, query.cursor)[1]);
  return { limit: page.limit, order: query.order ?? "desc", after_id, page };
}

type SortedRow = { created_at: string; id: string };

/** `rows`: up to `limit + 1` of them. `stopped_at`: everything up to and including that row was scanned; null: all. */
export function presentPart<T extends SortedRow>(ctx: CallerCtx, page: Page, rows: T[], stopped_at: SortedRow | null) {
  const data = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? data.at(-1) : stopped_at;
  const next_cursor = last ? encodePosition(ctx, page, last) : null;
  return { data, has_more: next_cursor !== null, next_cursor };
}

/** The same for a list sorted by id alone. */
export function presentWalk<T extends SortedRow>(ctx: CallerCtx, { page }: Walk, rows: T[], stopped_at: string | null) {
  return presentPart(ctx, page, rows, stopped_at === null ? null : { created_at: "", id: stopped_at });
}
