import type { Sql } from "../../../platform/database/sql.ts";

/** A part of the statement that reads the state of the service: its CTEs, and its rows of figure, labels and value. */
export type StatePart = { tables: Sql; rows: Sql };

/** Rows of each kind that are counted: a few tens of milliseconds. A figure that reaches it means "at least". */
export const MAX_COUNTED = 20_000;
/** Lanes that are walked, and so the index entries that are read for that. */
export const MAX_LANES = 1_000;
