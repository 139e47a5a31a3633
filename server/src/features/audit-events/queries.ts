import type {
  AuditEvent,
  ExportAuditEventsQuery,
  ListAuditEventsQuery,
} from "@millrace/contract/projects/audit-events";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { readSpan } from "../../platform/listing/filters.ts";
import { type Page, presentPage, readPage } from "../../platform/listing/page.ts";
import type { ChainedEvent, StoredEvent } from "./chain.ts";

const OWN_COLUMNS = sql`e.project_id, e.id, e.actor_kind, e.actor_id, e.actor_name, e.action, e.resource_type,
  e.resource_id, e.ip, e.user_agent, e.request_id, e.created_at`;
const SEAL_COLUMNS = sql`e.chain_no::int as chain_no, encode(e.hash, 'hex') as hash`;

/** As text, to be parsed in slices: parsing a workflow before and after a change at once takes 60 ms. */
export const STORED_COLUMNS = sql`${OWN_COLUMNS}, e.before::text as before, e.after::text as after`;

type Seal = { chain_no: number | null; hash: string | null };
export type EventRow = ChainedEvent & Seal;
export type StoredRow = StoredEvent & Seal;

const SEALED_COLUMNS = sql`${OWN_COLUMNS}, e.before, e.after, ${SEAL_COLUMNS}`;

export type AuditFilter = Omit<ExportAuditEventsQuery, "format">;

async function listEvents(ctx: ProjectCtx, page: Page, filter: AuditFilter): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${SEALED_COLUMNS} from audit_events e
    where e.project_id = ${ctx.project_id} ${matching(filter)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

type Position = { created_at: string; id: string };

/** How many are in memory at once: a change of a workflow may have two megabytes. */
export const EVENTS_AT_ONCE = 100;

/** All matching events, oldest first, page by page. */
export async function* readEvents(ctx: ProjectCtx, filter: AuditFilter): AsyncGenerator<EventRow[]> {
  let after: Position | undefined;
  for (;;) {
    const from: Sql = after
      ? sql`and (e.created_at, e.id) > (${after.created_at}::timestamptz, ${after.id}::uuid)`
      : sql``;
    const { rows } = await sql<EventRow>`
      select ${SEALED_COLUMNS} from audit_events e
      where e.project_id = ${ctx.project_id} ${matching(filter)} ${from}
      order by e.created_at, e.id limit ${EVENTS_AT_ONCE}`.execute(ctx.db);
    if (rows.length > 0) yield rows;
    if (rows.length < EVENTS_AT_ONCE) return;
    after = rows.at(-1);
  }
}

/** The chain after a number, in order. */
export async function readChain(ctx: Ctx, project_id: string, after: number, max: number): Promise<StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    select ${STORED_COLUMNS}, ${SEAL_COLUMNS} from audit_events e
    where e.project_id = ${project_id} and e.chain_no > ${after}
    order by e.chain_no limit ${max}`.execute(ctx.db);
  return rows;
}

export async function countUnsealed({ db, project_id }: ProjectCtx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audit_events e
    where e.project_id = ${project_id} and e.chain_no is null`.execute(db);
  return rows[0]?.count ?? 0;
}

function matching({ from, to, actor, action, resource_type, resource_id, request_id }: AuditFilter) {
  const conditions = [
    from !== undefined && sql`and e.created_at >= ${from}::timestamptz`,
    to !== undefined && sql`and e.created_at < ${to}::timestamptz`,
    actor !== undefined && sql`and (e.actor_name = ${actor} or e.actor_id = ${actor})`,
    action !== undefined && sql`and ${ofAction(action)}`,
    resource_type !== undefined && sql`and e.resource_type = ${resource_type}`,
    resource_id !== undefined && sql`and e.resource_id = ${resource_id}`,
    request_id !== undefined && sql`and e.request_id = ${request_id}`,
  ];
  return sql.join(
    conditions.filter((condition) => condition !== false),
    sql` `,
  );
}

function ofAction(action: string): Sql {
  return action.endsWith(".*") ? sql`starts_with(e.action, ${action.slice(0, -1)})` : sql`e.action = ${action}`;
}

export async function listAuditEvents(ctx: ProjectCtx, query: ListAuditEventsQuery) {
  const page = readPage(ctx, "audit-events", query, "e");
  const { data, ...rest } = presentPage(ctx, page, await listEvents(ctx, page, readSpan(query)));
  return { data: data.map(presentEvent), ...rest };
}

export function presentEvent(row: EventRow): AuditEvent {
  return { ...row, sealed: row.chain_no !== null } as AuditEvent;
}
