import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { refuseWiderKey } from "./grant-rules.ts";
import { lockApiKey, revokeApiKeyRow } from "./queries.ts";

/** Revokes a key for good. Idempotent: a second revocation changes nothing. */
export async function revokeApiKey(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockApiKey(tx, id);
    if (!before) throw notFound("API key");
    refuseWiderKey(tx, before);
    tx.afterCommit(({ keyCache }) => keyCache.clear());
    if (!(await revokeApiKeyRow(tx, id))) return;
    await recordAudit(tx, { action: "api_key.revoked", resource_type: "api_key", resource_id: id, before });
  });
}
