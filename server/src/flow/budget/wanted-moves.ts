import { sql } from "kysely";

export const ENDS = sql`('completed', 'failed', 'timed_out', 'canceled')`;

/** Of the log `l`: ends of dispatches, and ends of runs. */
export const WANTED = sql`(l.from_status = 'running' or l.to_status in ${ENDS})`;
