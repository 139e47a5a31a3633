import { type RawBuilder, sql } from "kysely";
import { hasEnded } from "../../../flow/runs/states.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { type Among, direction, type Range } from "./search-blocks.ts";

/** This many are skipped by their terms in the time it takes to read one in fifty. */
const MAX_SKIPPED = 20_000;

/** How many listed runs are considered: without terms each of them is read. */
export const maxListed = ({ lasting, singles }: Among) => (lasting.length > 0 ? MAX_SKIPPED : singles + 1);

/**
 * `listed`: the next runs of the range that are in no block. The index task lists a run with its end or its status;
 * runs that changed since are `fresh`.
 */
export function listedWith({ project_id }: ProjectCtx, range: Range, among: Among): RawBuilder<unknown> {
  const next = sql`order by 1 ${direction(range)} limit ${maxListed(among)}`;
  const within = sql`u.run_id > ${range.above} and u.run_id < ${range.below}`;
  if (among.statuses === null)
    return sql`listed as materialized (
      select u.run_id, u.terms from unindexed_runs u where u.project_id = ${project_id} and ${within} ${next}
    )`;
  const ended = among.statuses.filter(hasEnded);
  const living = among.statuses.filter((status) => !hasEnded(status));
  return sql`listed as materialized (
    select run_id, terms from (
      select u.run_id, u.terms from unnest(${ended}::text[]) as requested(status) cross join lateral (
        select u.run_id, u.terms from unindexed_runs u
        where u.project_id = ${project_id} and ${within} and u.ended_status = requested.status ${next}
      ) u
      union all
      select u.run_id, u.terms from unnest(${living.length > 0 ? [...living, "unknown"] : []}::text[]) as requested(status) cross join lateral (
        select u.run_id, u.terms from unindexed_runs u
        where u.project_id = ${project_id} and ${within} and u.ended_status is null and u.living_status = requested.status ${next}
      ) u
    ) requested ${next}
  )`;
}

/** True if a listed run has one term of each list, or its terms are unknown. */
export function mayMatchTerms(lasting: readonly number[][]): RawBuilder<unknown> {
  if (lasting.length === 0) return sql`true`;
  const each = lasting.map((terms) => sql`terms && ${terms}::int[]`);
  return sql`(terms is null or terms = '{}' or (${sql.join(each, sql` and `)}))`;
}
