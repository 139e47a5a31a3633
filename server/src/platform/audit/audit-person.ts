import type { CallerCtx, Ctx, InTransaction } from "../context.ts";
import { sql } from "../database/sql.ts";
import { recordAudit, recordServiceAudit } from "./record-audit.ts";

/**
 * A person's changes to their own account belong to no project, so they are recorded in each one they are a member of.
 */
export async function auditPerson(
  tx: CallerCtx & InTransaction,
  subject: string,
  { action, after = null }: { action: string; after?: object | null },
): Promise<void> {
  for (const { project_id, id } of await placesOf(tx, subject))
    await recordAudit({ ...tx, project_id }, { action, resource_type: "member", resource_id: id, after });
}

/** Of a request that shows no credential but a link. */
export async function auditPersonByService(tx: Ctx & InTransaction, subject: string, action: string): Promise<void> {
  for (const { project_id, id } of await placesOf(tx, subject))
    await recordServiceAudit(tx, project_id, { action, resource_type: "member", resource_id: id, after: { subject } });
}

async function placesOf(tx: Ctx & InTransaction, subject: string): Promise<{ project_id: string; id: string }[]> {
  const { rows } = await sql<{ project_id: string; id: string }>`
    select m.project_id, m.id from members m join projects p on p.id = m.project_id and p.deleted_at is null
    where m.subject = ${subject} order by m.project_id`.execute(tx.db);
  return rows;
}
