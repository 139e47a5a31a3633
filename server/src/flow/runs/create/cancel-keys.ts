import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { ApiError } from "../../../platform/errors/errors.ts";
import { renderText } from "../../templates/render-template.ts";
import { eventKeyIssue } from "../../waits/event-keys.ts";

/**
 * The events that cancel a run, each once, rendered over its payload. A key that cannot be rendered would never cancel
 * it: it is reported now, while there is a caller to receive the error.
 */
export function renderCancelKeys(
  cancel_on: readonly { event_key: string }[],
  payload: unknown,
  location: string,
): string[] {
  if (cancel_on.length === 0) return [];
  return [...new Set(cancel_on.map(({ event_key }) => renderKey(event_key, payload, location)))];
}

function renderKey(template: string, payload: unknown, location: string): string {
  const rendered = renderText(template, { payload });
  const issue = rendered.ok ? eventKeyIssue(rendered.value) : undefined;
  if (rendered.ok && issue === undefined) return rendered.value;
  const why = rendered.ok ? `it ${issue}` : rendered.problem.message;
  throw new ApiError("payload_invalid", `The event key "${template}" of cancel_on is invalid: ${why}.`, {
    errors: [{ location, message: `makes the event key "${template}" of cancel_on invalid: ${why}`, value: null }],
  });
}

type Cancelable = { id: string; cancel_keys?: string[] | undefined };

/**
 * A part of the statement that creates runs, after its `given` (`project_id, id, environment_id`): inserts the events
 * that cancel them. Nothing for runs that no event cancels. Same statement, so that an event sent after the response
 * finds the run; an event sent during it came before.
 */
export function insertCancelKeys(owner_kind: "run" | "workflow_run", newRuns: readonly Cancelable[]): Sql {
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

/** With another payload, other events may cancel the run. */
export async function replaceCancelKeys(
  tx: Ctx & InTransaction,
  { project_id, id, environment_id, cancel_keys = [] }: Cancelable & { project_id: string; environment_id: string },
): Promise<void> {
  await sql`
    with gone as (
      delete from cancel_keys where project_id = ${project_id} and owner_id = ${id} and event_key <> all(${cancel_keys}::text[])
    )
    insert into cancel_keys (project_id, event_key, owner_id, owner_kind, environment_id, created_at, check_at)
    select ${project_id}, k, ${id}, 'run', ${environment_id}, clock(), clock() + interval '1 minute'
    from unnest(${cancel_keys}::text[]) k
    on conflict (project_id, event_key, owner_id) do nothing`.execute(tx.db);
}
