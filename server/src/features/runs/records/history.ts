import type { RunAttempt, RunTransition } from "@millrace/contract/runs/runs";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { Page } from "../../../platform/listing/page.ts";

/**
 * The sort key of a page. The id is the row's ordinal, written as the uuid that a cursor holds. If clocks ran
 * backwards, the latest time so far is shown, so that times and ordinals sort alike.
 */
type Placed = { id: string; created_at: string };

export type TransitionRow = Omit<RunTransition, "$schema"> & Placed;

export async function listTransitions(ctx: ProjectCtx, run_id: string, page: Page): Promise<TransitionRow[]> {
  const { rows } = await sql<TransitionRow>`
    select * from (
      select run_id, ordinal, from_status, to_status, cause, attempt, detail,
        max(created_at) over (order by ordinal) as created_at, lpad(to_hex(ordinal), 32, '0')::uuid as id
      from run_history where project_id = ${ctx.project_id} and run_id = ${run_id}
    ) t
    where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

export type AttemptRow = Omit<RunAttempt, "$schema"> & Placed;

/**
 * An attempt is a claim and the transition after it; attempts have no rows of their own. Stored transitions are removed
 * by age, derived ones are not: an attempt whose end was removed, while its run waited for months, is left out.
 */
export async function listAttempts(ctx: ProjectCtx, run_id: string, page: Page): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    with transitions as (
      select run_id, ordinal, attempt, to_status, cause, detail, max(created_at) over (order by ordinal) as created_at
      from run_history where project_id = ${ctx.project_id} and run_id = ${run_id}
    ),
    with_next as (
      select run_id, ordinal, attempt, to_status, created_at, first_value(created_at) over next as finished_at,
        first_value(cause) over next as outcome, first_value(to_status) over next as became,
        first_value(detail) over next as detail
      from transitions window next as (order by ordinal range between 1 following and 1 following)
    )
    select a.* from (
      select run_id, attempt, created_at as started_at, finished_at, outcome, became as to_status,
        detail -> 'error' as error, (detail ->> 'http_status')::int as http_status,
        coalesce((detail ->> 'duration_ms')::float8, extract(epoch from finished_at - created_at) * 1000)::int as duration_ms,
        created_at, lpad(to_hex(attempt), 32, '0')::uuid as id
      from with_next where to_status = 'running' and (became is not null or ordinal = (
        select r.transition_count from runs r where r.project_id = ${ctx.project_id} and r.id = ${run_id}))
    ) a
    where true ${page.after} ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}
