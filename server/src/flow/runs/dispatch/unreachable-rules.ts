import type { Ctx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";

/** A mistyped address must not go unnoticed for a day. */
const NEVER_ANSWERED_SECS = 600;
const PROBE_EVERY_SECS = { dev: 1, serve: 5 } as const;
/** Seconds in which 1, 2 and 4 runs are released after a good probe; all others follow. */
const RELEASE_STEPS = 3;

/** How long a run may wait for an endpoint that cannot be reached. */
export function unreachableLimit(answeredAt: Sql, timeoutSecs: Sql): Sql {
  return sql`case when ${answeredAt} is null then least(${timeoutSecs}, ${sql.lit(NEVER_ANSWERED_SECS)}) else ${timeoutSecs} end
    * interval '1 second'`;
}

/** How often an unreachable host is probed. */
export function probeInterval(ctx: Ctx): Sql {
  return sql`${sql.lit(PROBE_EVERY_SECS[ctx.config.mode])} * interval '1 second'`;
}

/** How many runs to release, in the n-th second after a good probe. Undefined: all. */
export function releasedIn(step: number): number | undefined {
  return step < RELEASE_STEPS ? 2 ** step : undefined;
}
