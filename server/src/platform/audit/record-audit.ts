import { actorOf } from "../actor.ts";
import type { Ctx, InTransaction, ProjectCtx } from "../context.ts";
import { sql } from "../database/sql.ts";
import { newId } from "../ids.ts";
import { hasTakenLong, yieldToEventLoop } from "../time-slices.ts";

export type AuditEntry = {
  action: string;
  resource_type: string;
  resource_id: string;
  before?: object | null;
  after?: object | null;
};

/** Records one audit event in the transaction of the change: neither exists without the other. */
export async function recordAudit(ctx: ProjectCtx & InTransaction, entry: AuditEntry): Promise<void> {
  const { caller, origin } = ctx;
  const actor = actorOf(caller);
  // A workflow of a megabyte was just read, and is serialized twice.
  if (hasTakenLong()) await yieldToEventLoop();
  const before = asJson(entry.before);
  if (hasTakenLong()) await yieldToEventLoop();
  const after = asJson(entry.after);
  await sql`
    insert into audit_events (
      project_id, id, actor_kind, actor_id, actor_name, action, resource_type, resource_id,
      before, after, ip, user_agent, request_id, created_at)
    values (
      ${ctx.project_id}, ${newId()}, ${caller.kind}, ${actor.id}, ${actor.name},
      ${entry.action}, ${entry.resource_type}, ${entry.resource_id},
      ${before}, ${after}, ${origin.ip}, ${origin.user_agent}, ${origin.request_id}, clock())
  `.execute(ctx.db);
}

function asJson(value: object | null | undefined): string | null {
  return value ? JSON.stringify(value) : null;
}

/** Like `recordAudit`, for actions of the service itself, without a caller or a request. */
export async function recordServiceAudit(
  ctx: Ctx & InTransaction,
  project_id: string,
  { action, resource_type, resource_id, before, after }: AuditEntry,
): Promise<void> {
  await sql`
    insert into audit_events (
      project_id, id, actor_kind, actor_name, action, resource_type, resource_id, before, after, created_at)
    values (
      ${project_id}, ${newId()}, 'service', 'millrace', ${action}, ${resource_type}, ${resource_id},
      ${before ? JSON.stringify(before) : null}, ${after ? JSON.stringify(after) : null}, clock())`.execute(ctx.db);
}

/** Names stay and values are removed: an audit record shows that a variable changed, never its value. */
export function redactValues(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(variables).map((name) => [name, "[redacted]"]));
}
