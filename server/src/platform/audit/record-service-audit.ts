import { sql } from "kysely";
import type { Ctx, InTransaction } from "../context.ts";
import { newId } from "../ids.ts";
import type { AuditEntry } from "./record-audit.ts";

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
