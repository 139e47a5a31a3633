import type { SourceEvent, SubscriptionOutcome } from "@millrace/contract/events/source-events";
import { boundEnvironment } from "../../platform/access/environments.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";

/** The fields that the dispatch of an event needs. */
export type LoadedSource = {
  project_id: string;
  id: string;
  slug: string;
  enabled: boolean;
  payload_schema: object | null;
  revision: number;
  dedup_window_secs: number;
};

export type Subscription = {
  id: string;
  job_id: string | null;
  workflow_id: string | null;
  filter: string | null;
  /** Null: the payload of the event. */
  payload: unknown;
  concurrency_key: string | null;
  environment_id: string | null;
  enabled: boolean;
};

/** As stored: each result with the environment of its run, to check who may see it. */
export type SourceEventRow = Omit<SourceEvent, "$schema" | "results" | "duplicate"> & { results: StoredOutcome[] };
export type StoredOutcome = SubscriptionOutcome & { environment_id: string | null };

export const EVENT_COLUMNS = sql`e.id, e.project_id, e.source_id, e.event_id, e.type, e.via, e.status, e.error, e.matched,
  e.started, e.failed, e.chain_depth, e.parent_run_id, e.replay_of, e.received_by, e.received_by_id, e.created_at`;

export async function findSource(ctx: Ctx, project_id: string, ref: string): Promise<LoadedSource | undefined> {
  const { rows } = await sql<LoadedSource>`
    select s.project_id, s.id, s.slug, s.enabled, s.payload_schema, s.revision, s.dedup_window_secs
    from event_sources s
    where s.project_id = ${project_id} and ${isId(ref) ? sql`s.id = ${ref}` : sql`s.slug = ${ref}`}`.execute(ctx.db);
  return rows[0];
}

export async function findSourceEvent(ctx: Ctx, project_id: string, id: string): Promise<SourceEventRow | undefined> {
  const { rows } = await sql<SourceEventRow>`
    select ${EVENT_COLUMNS}, e.payload, e.metadata, e.results from source_events e
    where e.project_id = ${project_id} and e.id = ${id}`.execute(ctx.db);
  return rows[0];
}

/**
 * In order of creation. A sender that is bound to an environment reaches only subscriptions of that environment: one
 * without its own belongs to the environment of its job or workflow.
 */
export async function listSubscriptions(
  ctx: Ctx,
  { project_id, id }: LoadedSource,
  environment_id: string | null,
): Promise<Subscription[]> {
  const reached = sql`and coalesce(s.environment_id, j.environment_id, w.environment_id) = ${environment_id}`;
  const { rows } = await sql<Subscription>`
    select s.id, s.job_id, s.workflow_id, s.filter, s.payload, s.concurrency_key, s.environment_id, s.enabled
    from event_subscriptions s
    left join jobs j on j.project_id = s.project_id and j.id = s.job_id
    left join workflows w on w.project_id = s.project_id and w.id = s.workflow_id
    where s.project_id = ${project_id} and s.source_id = ${id} ${environment_id === null ? sql`` : reached}
    order by s.created_at, s.id`.execute(ctx.db);
  return rows;
}

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

/** A key that is bound to an environment sees only the event's results there. */
export function presentSourceEvent({ caller }: ProjectCtx, { results, ...event }: SourceEventRow): SourceEvent {
  const bound = boundEnvironment(caller);
  const seen = bound === null ? results : results.filter(({ environment_id }) => environment_id === bound);
  return { ...event, results: seen.map(({ environment_id: _, ...result }) => result) };
}
