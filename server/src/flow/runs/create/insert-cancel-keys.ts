import { type RawBuilder, sql } from "kysely";

type Cancelable = { id: string; cancel_keys?: string[] | undefined };

/**
 * A part of the statement that creates runs, after its `given` (`project_id, id, environment_id`): inserts the events
 * that cancel them. Nothing for runs that no event cancels. Same statement, so that an event sent after the response
 * finds the run; an event sent during it came before.
 */
export function insertCancelKeys(
  owner_kind: "run" | "workflow_run",
  newRuns: readonly Cancelable[],
): RawBuilder<unknown> {
  const keys = newRuns.flatMap(({ id, cancel_keys = [] }) => cancel_keys.map((event_key) => ({ id, event_key })));
  if (keys.length === 0) return sql``;
  return sql`,
    keyed as (
      insert into cancel_keys (project_id, event_key, owner_id, owner_kind, environment_id, created_at, check_at)
      select g.project_id, k.event_key, g.id, ${owner_kind}, g.environment_id, clock(), clock() + interval '1 minute'
      from json_to_recordset(${JSON.stringify(keys)}::json) as k(id uuid, event_key text)
      join given g on g.id = k.id
    )`;
}
