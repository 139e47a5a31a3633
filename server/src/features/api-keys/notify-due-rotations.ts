import { recordServiceAudit } from "../../platform/audit/record-audit.ts";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { derivedId } from "../../platform/derived-id.ts";
import { notifySubscribers } from "../../platform/webhooks/notify-subscribers.ts";
import { type ApiKeyRow, KEY_COLUMNS } from "./queries.ts";

const PAGE = 100;

type DueKey = { project_id: string; id: string };

/**
 * Reports once that the rotation of a key is due, by an audit event and to subscribers. The next rotation starts a new
 * interval.
 */
export async function notifyDueRotations(ctx: Ctx): Promise<boolean> {
  const { rows } = await sql<DueKey>`
    select k.project_id, k.id from api_keys k
    where k.rotation_due_at <= clock() order by k.rotation_due_at limit ${PAGE}`.execute(ctx.db);
  for (const key of rows) await inTransaction(ctx, (tx) => notifyDue(tx, key));
  return rows.length === PAGE;
}

/** The guarded update makes it happen once: a second caller finds nothing due. */
async function notifyDue(tx: Ctx & InTransaction, { project_id, id }: DueKey): Promise<void> {
  const { rows } = await sql<ApiKeyRow>`
    update api_keys k set rotation_due_at = null
    where k.project_id = ${project_id} and k.id = ${id} and k.rotation_due_at <= clock()
    returning ${KEY_COLUMNS}`.execute(tx.db);
  const [key] = rows;
  // A revoked or expired key needs no rotation.
  if (key?.status !== "active" || (await isProjectGone(tx, project_id))) return;
  const about = { resource_type: "api_key", resource_id: id };
  await recordServiceAudit(tx, project_id, { action: "api_key.rotation_due", ...about, after: key });
  const { environment_id } = key;
  await notifySubscribers(tx, [
    {
      ...{ project_id, environment_id, type: "api_key.rotation_due", data: key },
      ...{ id: derivedId("rotation due", id, key.rotated_at), source_type: "api_key", source_id: id },
    },
  ]);
}

async function isProjectGone(tx: Ctx, project_id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from projects p where p.id = ${project_id} and p.deleted_at is not null`.execute(tx.db);
  return rows.length > 0;
}
