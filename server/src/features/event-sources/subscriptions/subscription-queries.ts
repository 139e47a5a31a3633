import type { EventSubscription } from "@millrace/contract/events/event-sources";
import { visible, visibleSchedule } from "../../../platform/access/policies/visibility.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { type Sql, sql } from "../../../platform/database/sql.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import type { Page } from "../../../platform/listing/page.ts";
import { findSource } from "../queries.ts";

export type SubscriptionRow = Omit<EventSubscription, "$schema">;

const COLUMNS = sql`s.id, s.project_id, s.source_id, s.job_id, s.workflow_id, s.filter, s.payload, s.concurrency_key,
  s.environment_id, s.enabled, s.created_by, s.created_by_id, s.created_at, s.updated_at`;

export async function listSubscriptions(ctx: ProjectCtx, source_id: string, page: Page): Promise<SubscriptionRow[]> {
  const { rows } = await sql<SubscriptionRow>`
    select ${COLUMNS} from event_subscriptions s
    where s.project_id = ${ctx.project_id} and s.source_id = ${source_id} and ${visibleSchedule(ctx, "s")} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}

function findSubscription(ctx: ProjectCtx, source_id: string, id: string): Promise<SubscriptionRow | undefined> {
  return readOne(ctx, source_id, id, sql``);
}

export function lockSubscription(
  ctx: ProjectCtx & InTransaction,
  source_id: string,
  id: string,
): Promise<SubscriptionRow | undefined> {
  return readOne(ctx, source_id, id, sql`for update`);
}

async function readOne(ctx: ProjectCtx, source_id: string, id: string, lock: Sql) {
  if (!isId(id)) return undefined;
  const { rows } = await sql<SubscriptionRow>`
    select ${COLUMNS} from event_subscriptions s
    where s.project_id = ${ctx.project_id} and s.source_id = ${source_id} and s.id = ${id}
      and ${visibleSchedule(ctx, "s")} ${lock}`.execute(ctx.db);
  return rows[0];
}

export async function updateSubscriptionRow(
  ctx: ProjectCtx & InTransaction,
  row: SubscriptionRow,
): Promise<SubscriptionRow> {
  const { rows } = await sql<SubscriptionRow>`
    update event_subscriptions s set filter = ${row.filter}, payload = ${asJson(row.payload)},
      concurrency_key = ${row.concurrency_key}, enabled = ${row.enabled}, updated_at = clock()
    where s.project_id = ${ctx.project_id} and s.id = ${row.id}
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0] as SubscriptionRow;
}

/** A missing template means no value, not the value null. */
function asJson(payload: unknown): string | null {
  return payload == null ? null : JSON.stringify(payload);
}

export async function countSubscriptions(ctx: ProjectCtx & InTransaction, source_id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from event_subscriptions
    where project_id = ${ctx.project_id} and source_id = ${source_id}`.execute(ctx.db);
  return rows[0]?.count ?? 0;
}

export async function insertSubscription(
  ctx: ProjectCtx & InTransaction,
  row: Omit<SubscriptionRow, "created_at" | "updated_at">,
): Promise<SubscriptionRow> {
  const { rows } = await sql<SubscriptionRow>`
    insert into event_subscriptions as s (
      project_id, id, source_id, job_id, workflow_id, filter, payload, concurrency_key, environment_id, enabled, created_by,
      created_by_id, created_at, updated_at)
    values (${ctx.project_id}, ${row.id}, ${row.source_id}, ${row.job_id}, ${row.workflow_id}, ${row.filter},
      ${asJson(row.payload)}, ${row.concurrency_key}, ${row.environment_id},
      ${row.enabled}, ${row.created_by}, ${row.created_by_id}, clock(), clock())
    returning ${COLUMNS}`.execute(ctx.db);
  return rows[0] as SubscriptionRow;
}

export async function deleteSubscriptionRow(ctx: ProjectCtx & InTransaction, id: string): Promise<void> {
  await sql`delete from event_subscriptions where project_id = ${ctx.project_id} and id = ${id}`.execute(ctx.db);
}

export async function findJobId(ctx: ProjectCtx, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select j.id from jobs j
    where j.project_id = ${ctx.project_id} and ${isId(ref) ? sql`j.id = ${ref}` : sql`j.slug = ${ref}`}
      and j.deleted_at is null and ${visible(ctx, "jobs", "j")}`.execute(ctx.db);
  return rows[0]?.id;
}

export async function findWorkflowId(ctx: ProjectCtx, ref: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select w.id from workflows w
    where w.project_id = ${ctx.project_id} and ${isId(ref) ? sql`w.id = ${ref}` : sql`w.slug = ${ref}`}
      and w.deleted_at is null and ${visible(ctx, "workflows", "w")}`.execute(ctx.db);
  return rows[0]?.id;
}

export async function getSubscription(ctx: ProjectCtx, ref: string, id: string): Promise<EventSubscription> {
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const row = await findSubscription(ctx, source.id, id);
  if (!row) throw notFound("subscription");
  return row;
}
