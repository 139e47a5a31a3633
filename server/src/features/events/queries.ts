import { holdsScope } from "@millrace/contract/access/scopes";
import type { EventStats, EventTrigger, ListEventsQuery } from "@millrace/contract/events/events";
import { prefixRange, readInternalKey } from "../../flow/waits/event-keys.ts";
import { TRIGGER_COLUMNS, type TriggerRow } from "../../flow/waits/find-trigger.ts";
import { redactChildren } from "../../flow/waits/redact-children.ts";
import { callbackUrl } from "../../platform/access/credentials/callback-token.ts";
import { tokenLimitsOf } from "../../platform/access/credentials/token-limits.ts";
import { ofEnvironment } from "../../platform/access/environments.ts";
import { visibleTrigger } from "../../platform/access/policies/denied-runs.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import type { Page } from "../../platform/listing/page.ts";

/** Finds the trigger of a key: the waiting one, else the newest, else the internal wait of that name. */
export async function findVisibleTrigger(ctx: ProjectCtx, event_key: string): Promise<TriggerRow | undefined> {
  const seen = await visibleTrigger(ctx, "t");
  const { rows } = await sql<TriggerRow>`
    select * from (
      select ${TRIGGER_COLUMNS} from event_triggers t
      where t.project_id = ${ctx.project_id} and t.event_key = ${event_key} and t.status = 'waiting'
        and t.wait_kind = 'event' and ${seen}
      union all (
        select ${TRIGGER_COLUMNS} from event_triggers t
        where t.project_id = ${ctx.project_id} and t.event_key = ${event_key} and t.status <> 'waiting'
          and t.wait_kind = 'event' and ${seen}
        order by t.id desc limit 1
      )
    ) found order by status = 'waiting' desc limit 1`.execute(ctx.db);
  return rows[0] ?? findInternal(ctx, event_key);
}

async function findInternal(ctx: ProjectCtx, event_key: string): Promise<TriggerRow | undefined> {
  const named = readInternalKey(event_key);
  if (!named) return undefined;
  const { rows } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS} from event_triggers t
    where t.project_id = ${ctx.project_id} and t.id = ${named.id} and t.wait_kind = ${named.wait_kind}
      and ${await visibleTrigger(ctx, "t")}`.execute(ctx.db);
  return (await redactChildren(ctx, rows))[0];
}

type Sorting = Pick<Page, "after" | "orderBy" | "limit">;

export async function listTriggers(ctx: ProjectCtx, page: Sorting, query: ListEventsQuery): Promise<TriggerRow[]> {
  const { status, source_type, trigger_type, wait_kind, workflow_run_id, job_run_id, event_key_prefix } = query;
  const filters = [
    status === undefined ? sql`` : sql`and t.status = ${sql.lit(status)}`, // a literal: some indexes are partial, on waiting triggers
    equal("source_type", source_type),
    equal("trigger_type", trigger_type),
    // A literal, like the status: approvals have an index of their own.
    wait_kind === undefined ? sql`` : sql`and t.wait_kind = ${sql.lit(wait_kind)}`,
    ofEnvironment(ctx, "t", query.environment_id),
    among("workflow_run_id", workflow_run_id),
    among("job_run_id", job_run_id),
    event_key_prefix === undefined ? sql`` : startsWith(event_key_prefix),
  ];
  const { rows } = await sql<TriggerRow>`
    select ${TRIGGER_COLUMNS} from event_triggers t
    where t.project_id = ${ctx.project_id} and ${await visibleTrigger(ctx, "t")}
      ${sql.join(filters, sql` `)} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return redactChildren(ctx, rows);
}

export async function countInProject(ctx: ProjectCtx): Promise<EventStats> {
  const { rows } = await sql<EventStats>`
    select coalesce(sum(waiting), 0)::int as waiting, coalesce(sum(received), 0)::int as received,
      coalesce(sum(timed_out), 0)::int as timed_out, coalesce(sum(canceled), 0)::int as canceled
    from event_trigger_counts where project_id = ${ctx.project_id}`.execute(ctx.db);
  return rows[0] ?? NONE;
}

export async function countInEnvironment(ctx: ProjectCtx, environment: string): Promise<EventStats> {
  const { rows } = await sql<{ status: keyof EventStats; count: number }>`
    select t.status, count(*)::int as count from event_triggers t
    where t.project_id = ${ctx.project_id} and ${visible(ctx, "event_triggers", "t")}
      ${ofEnvironment(ctx, "t", environment)} group by t.status`.execute(ctx.db);
  return { ...NONE, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
}

/** A callback has no credential, so the project has not been checked yet. */
export async function hasProject(ctx: Ctx, project_id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from projects where id = ${project_id} and deleted_at is null`.execute(ctx.db);
  return rows.length > 0;
}

/** Whether the caller may see the run. */
export async function hasRun(ctx: ProjectCtx, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from runs r
    where r.project_id = ${ctx.project_id} and r.id = ${id} and ${visible(ctx, "runs", "r")}`.execute(ctx.db);
  return rows.length > 0;
}

const NONE: EventStats = { waiting: 0, received: 0, timed_out: 0, canceled: 0 };

function equal(column: string, value: string | undefined): Sql {
  return value === undefined ? sql`` : sql`and ${sql.ref(`t.${column}`)} = ${value}`;
}

function among(column: string, ids: string | undefined): Sql {
  return ids === undefined ? sql`` : sql`and ${sql.ref(`t.${column}`)} = any(${ids.split(",")}::uuid[])`;
}

/** Matches literally. Both branches are spelled out, so that each can use its own index of keys. */
function startsWith(prefix: string): Sql {
  const { start, end } = prefixRange(prefix);
  return sql`and t.wait_kind = 'event' and t.event_key >= ${start}
    ${end === null ? sql`` : sql`and t.event_key < ${end}`} and (t.status = 'waiting' or t.status <> 'waiting')`;
}

/** `message`: the question of an approval. Waits that accept a send have none. */
export function presentTrigger(ctx: ProjectCtx, row: TriggerRow, message: string | null = null): EventTrigger {
  const { project_id, id: trigger_id, status, wait_kind } = row;
  const isOpen = status === "waiting" && wait_kind === "event" && maySend(ctx);
  return { ...row, message, callback_url: isOpen ? callbackUrl(ctx, { project_id, trigger_id }) : null };
}

/** The URL allows sending, so it is shown only to callers who may send here. */
function maySend({ caller, project_id }: ProjectCtx): boolean {
  // A key that reads the other projects of its organization cannot change them.
  const isOwnProject = caller.kind !== "api_key" || caller.project_id === project_id;
  // A scoped token expires within the hour, but the URL does not.
  return isOwnProject && !tokenLimitsOf(caller) && holdsScope(caller.scopes, "events:send");
}
