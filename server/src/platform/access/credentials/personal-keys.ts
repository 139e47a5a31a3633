import { recordServiceAudit } from "../../audit/record-audit.ts";
import type { Ctx, InTransaction } from "../../context.ts";
import { sql } from "../../database/sql.ts";

type Person = { project_id: string; subject: string };

/** A personal key ends with the membership: a person who becomes a member again creates new ones. */
export async function endPersonalKeys(tx: Ctx & InTransaction, { project_id, subject }: Person): Promise<void> {
  const { rows } = await sql<{ id: string; name: string; key_prefix: string }>`
    update api_keys set revoked_at = clock(), rotation_due_at = null, updated_at = clock()
    where project_id = ${project_id} and subject = ${subject} and revoked_at is null
    returning id, name, key_prefix`.execute(tx.db);
  for (const { id, ...before } of rows) {
    const resource = { resource_type: "api_key", resource_id: id };
    const after = { reason: "The person no longer has access.", subject };
    await recordServiceAudit(tx, project_id, { action: "api_key.revoked", ...resource, before, after });
  }
  if (rows.length > 0) tx.afterCommit(({ keyCache }) => keyCache.clear());
}

/** For a person deactivated by their identity provider: applies to all memberships, assigned by people or by rules. */
export async function endAllPersonalKeys(tx: Ctx & InTransaction, subject: string): Promise<void> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct k.project_id from api_keys k where k.subject = ${subject} and k.revoked_at is null
    order by k.project_id`.execute(tx.db);
  for (const { project_id } of rows) await endPersonalKeys(tx, { project_id, subject });
}

/** The subjects of a provider's people with personal keys, by their addresses: they may have no session now. */
export async function findKeyHolders(ctx: Ctx, provider: string, emails: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    select distinct k.project_id, k.subject from api_keys k
    where k.provider = ${provider} and lower(k.email) = any(${emails}::text[]) and k.revoked_at is null`.execute(
    ctx.db,
  );
  return rows.map(({ subject }) => subject);
}
