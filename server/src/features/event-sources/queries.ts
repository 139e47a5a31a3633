import type { EventSource } from "@millrace/contract/events/event-sources";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export type SourceRow = Omit<EventSource, "$schema" | "inbound_url"> & { revision: number };

const COLUMNS = sql`s.id, s.project_id, s.slug, s.name, s.description, s.signature, s.payload_schema, s.dedup_window_secs,
  s.enabled, s.revision, case when s.previous_secret_until > clock() then s.previous_secret_until end
    as previous_secret_expires_at, s.created_by, s.created_by_id, s.created_at, s.updated_at`;

function named(ref: string): Sql {
  return isId(ref) ? sql`s.id = ${ref}` : sql`s.slug = ${ref}`;
}

export async function findSource(ctx: ProjectCtx, ref: string): Promise<SourceRow | undefined> {
  const { rows } = await sql<SourceRow>`
    select ${COLUMNS} from event_sources s where s.project_id = ${ctx.project_id} and ${named(ref)}`.execute(ctx.db);
  return rows[0];
}

export async function lockSource(ctx: ProjectCtx & InTransaction, ref: string): Promise<SourceRow | undefined> {
  const { rows } = await sql<SourceRow>`
    select ${COLUMNS} from event_sources s
    where s.project_id = ${ctx.project_id} and ${named(ref)} for update`.execute(ctx.db);
  return rows[0];
}

export async function listSources(ctx: ProjectCtx, page: Page): Promise<SourceRow[]> {
  const { rows } = await sql<SourceRow>`
    select ${COLUMNS} from event_sources s where s.project_id = ${ctx.project_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

type NewSource = Omit<SourceRow, "revision" | "previous_secret_expires_at" | "created_at" | "updated_at"> & {
  secret: Buffer | null;
};

/** Undefined: the slug is taken. */
export async function insertSource(ctx: ProjectCtx & InTransaction, source: NewSource): Promise<SourceRow | undefined> {
  const { rows } = await sql<SourceRow>`
    insert into event_sources as s (
      project_id, id, slug, name, description, signature, secret, payload_schema, dedup_window_secs, enabled, created_by,
      created_by_id, created_at, updated_at)
    values (${ctx.project_id}, ${source.id}, ${source.slug}, ${source.name}, ${source.description}, ${source.signature},
      ${source.secret}, ${asJson(source.payload_schema)}, ${source.dedup_window_secs}, ${source.enabled},
      ${source.created_by}, ${source.created_by_id}, clock(), clock())
    on conflict (project_id, slug) do nothing
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0];
}

export async function updateSource(ctx: ProjectCtx & InTransaction, source: SourceRow): Promise<SourceRow> {
  const { rows } = await sql<SourceRow>`
    update event_sources s set slug = ${source.slug}, name = ${source.name}, description = ${source.description},
      payload_schema = ${asJson(source.payload_schema)}, dedup_window_secs = ${source.dedup_window_secs},
      enabled = ${source.enabled}, revision = s.revision + 1, updated_at = clock()
    where s.project_id = ${ctx.project_id} and s.id = ${source.id}
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0] as SourceRow;
}

/** The previous secret stays valid for the grace period. */
export async function replaceSecret(
  ctx: ProjectCtx & InTransaction,
  id: string,
  secret: Buffer,
  graceMinutes: number,
): Promise<{ previous_secret_expires_at: string | null }> {
  const { rows } = await sql<{ previous_secret_expires_at: string | null }>`
    update event_sources s set secret = ${secret},
      previous_secret = case when ${graceMinutes}::int > 0 then s.secret end,
      previous_secret_until = case when ${graceMinutes}::int > 0 then clock() + ${graceMinutes}::int * interval '1 minute' end,
      updated_at = clock()
    where s.project_id = ${ctx.project_id} and s.id = ${id}
    returning s.previous_secret_until as previous_secret_expires_at`.execute(ctx.db);
  return rows[0] ?? { previous_secret_expires_at: null };
}

/** Deletes its subscriptions too. */
export async function deleteSourceRow(ctx: ProjectCtx & InTransaction, id: string): Promise<void> {
  await sql`delete from event_sources where project_id = ${ctx.project_id} and id = ${id}`.execute(ctx.db);
}

function asJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Never includes the secret. */
export function presentSource({ origin }: ProjectCtx, { revision: _, ...row }: SourceRow): EventSource {
  const inbound_url = row.signature === "none" ? null : `${origin.base_url}/v1/event-sources/${row.id}/inbound`;
  return { ...row, inbound_url };
}
