import { type RawBuilder, sql } from "kysely";
import { fewRows } from "../../../platform/database/few-rows.ts";

/** A run, and the trigger on which it waits or waited last. */
export type WaitingRun = { project_id: string; run_id: string; trigger_id: string };

/**
 * The first part of a statement that ends waits of runs: those that still wait, locked in order of their ids. The guard
 * is a `case` for the planner's sake: with `status =` a prepared plan would expect next to no rows.
 */
export function heldWaiting(waiting: readonly WaitingRun[]): RawBuilder<unknown> {
  return sql`
    held as materialized (
      select r.project_id, r.id, g.trigger_id
      from (
        select * from json_to_recordset(${JSON.stringify(waiting.map(rowOf))}::json)
          as g(project_id uuid, run_id uuid, trigger_id uuid, one text)
        where ${fewRows("g.one")} order by run_id
      ) g, lateral (
        select r.project_id, r.id from runs r
        where r.project_id = g.project_id and r.id = g.run_id and case r.status when 'waiting' then true else false end
        for no key update
      ) r
    )`;
}

function rowOf({ project_id, run_id, trigger_id }: WaitingRun): object {
  return { project_id, run_id, trigger_id, one: "" };
}
