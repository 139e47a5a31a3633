import type { Ctx } from "../context.ts";
import { type Sql, sql } from "../database/sql.ts";

/**
 * Rows that the task `remove-old-rows` deletes. The folder that owns a table declares its entry in `retention.ts`, and
 * `engine/all-retention.ts` lists them all.
 */
export type RetentionEntry = {
  /** For logs and metrics. */
  name: string;
  /** The maximum number of rows per pass. */
  page: number;
  /** For an entry that is expensive even if nothing is old: it is visited at most this often. */
  everyMs?: number;
} & (OldRows | OwnRemoval);

/** The rows `t` of a table that are due for deletion. Locked rows are left to a later pass. */
export type OldRows = {
  table: string;
  /** Rows are found through this join, whose conditions are in `where`, if no index leads with their time. */
  through?: Sql;
  /** A further condition. */
  where?: Sql | ((ctx: Ctx) => Sql);
  /** The column that an index orders the rows by, if it is not that of their time. */
  order?: string;
} & (Aged | Expiring);

/** A row is old if the time in column `at` is before `before`. */
type Aged = { at: string; before: (ctx: Ctx) => Sql; expiresAt?: never };
/** A row is old from the time in this column on. */
type Expiring = { expiresAt: string; at?: never };

/** For removals that one statement over one table cannot do; each such entry says why. */
type OwnRemoval = { removePage: (ctx: Ctx, page: number) => Promise<RemovedPage> };

/** `more`: another page may be due right now. */
export type RemovedPage = { removed: number; more: boolean };

export function secsAgo(secs: number): Sql {
  return sql`clock() - ${secs} * interval '1 second'`;
}

export function daysAgo(days: number): Sql {
  return sql`clock() - ${days} * interval '1 day'`;
}
