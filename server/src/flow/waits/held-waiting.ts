import { type RawBuilder, sql } from "kysely";

/** A run, and the trigger with which it waits or waited last. */
export type WaitingRun = { project_id: string; run_id: string; trigger_id: string };

/**
 * The first part of a statement that ends waits of runs: those that still wait, locked in order of their ids. The guard
 * is a `case` for the planner's sake: `status =` would let a kept plan expect next to no rows.
 */
export function heldWaiting(waiting: readonly WaitingRun[]): RawBuilder<unknown> {
  return sql`
    held as materialized (
      select r.project_id, r.id, g.trigger_id
      from (
        select * from unnest(
          ${waiting.map((run) => run.project_id)}::uuid[], ${waiting.map((run) => run.run_id)}::uuid[],
          ${waiting.map((run) => run.trigger_id)}::uuid[]) as g(project_id, run_id, trigger_id) order by run_id
      ) g, lateral (
        select r.project_id, r.id from runs r
        where r.project_id = g.project_id and r.id = g.run_id and case r.status when 'waiting' then true else false end
        for no key update
      ) r
    )`;
}
