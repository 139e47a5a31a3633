import { sql } from "kysely";
import type { Ctx } from "../../platform/context.ts";
import type { SourceEventRow } from "./source-rows.ts";

/** Stores an event with its results. */
export async function writeSourceEvent(ctx: Ctx, event: Omit<SourceEventRow, "created_at">): Promise<SourceEventRow> {
  const { rows } = await sql<{ created_at: string }>`
    insert into source_events (
      project_id, id, source_id, event_id, type, via, status, payload, metadata, error, results, matched, started, failed,
      chain_depth, parent_run_id, replay_of, received_by, received_by_id, created_at)
    values (
      ${event.project_id}, ${event.id}, ${event.source_id}, ${event.event_id}, ${event.type}, ${event.via}, ${event.status},
      ${JSON.stringify(event.payload)}, ${JSON.stringify(event.metadata)},
      ${event.error === null ? null : JSON.stringify(event.error)}, ${JSON.stringify(event.results)}, ${event.matched},
      ${event.started}, ${event.failed}, ${event.chain_depth}, ${event.parent_run_id}, ${event.replay_of},
      ${event.received_by}, ${event.received_by_id}, clock())
    returning created_at`.execute(ctx.db);
  return { ...event, created_at: rows[0]?.created_at ?? "" };
}
