import { type RawBuilder, sql } from "kysely";
import type { RunRow } from "./split-batch-columns.ts";

/** Separates payloads. Serialized JSON never contains this character: in strings it is escaped as \\u001e. */
const SEPARATOR = "\u001e";

/**
 * The run columns of each new run, as rows to select from. Most runs have only an id and a payload: these are sent as
 * lists, and each payload is read once. In objects of one JSON document it would be read three times, which takes a
 * sixth of the statement's time.
 */
export function runRows(own: readonly RunRow[]): RawBuilder<unknown> {
  return own.every(isPlain) ? plainRows(own) : rowsOfAnyKind(own);
}

function plainRows(own: readonly RunRow[]): RawBuilder<unknown> {
  const nths = `{${own.map(({ nth }) => nth).join(",")}}`;
  const ids = `{${own.map(({ id }) => id).join(",")}}`;
  const payloads = own.map(({ payload }) => JSON.stringify(payload)).join(SEPARATOR);
  return sql`(
    select u.nth, u.id, u.payload::jsonb as payload, null::text as concurrency_key, null::text as idempotency_key,
      null::text as dedup_hash, null::uuid as workflow_run_id, null::text as step_ref, null::int as step_generation,
      null::jsonb as parent_outputs, null::int as open_dependencies
    from unnest(${nths}::int[], ${ids}::uuid[], string_to_array(${payloads}, ${SEPARATOR})) as u(nth, id, payload)
  ) o`;
}

function rowsOfAnyKind(own: readonly RunRow[]): RawBuilder<unknown> {
  return sql`json_to_recordset(${JSON.stringify(own)}::json) as o(
    nth int, id uuid, payload jsonb, concurrency_key text, idempotency_key text, dedup_hash text,
    workflow_run_id uuid, step_ref text, step_generation int, parent_outputs jsonb, open_dependencies int)`;
}

function isPlain({ nth: _, id: __, payload: ___, ...more }: RunRow): boolean {
  return Object.values(more).every((value) => value === undefined);
}
