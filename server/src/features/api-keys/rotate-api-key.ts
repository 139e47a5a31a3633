import type { RotateApiKey, RotatedApiKey } from "@millrace/contract/api-keys";
import { hashKey, keyPrefix, newKey } from "../../platform/access/credentials/key-format.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { getApiKey } from "./get-api-key.ts";
import { refuseRotation } from "./grant-rules.ts";
import { lockApiKey, replaceSecret } from "./queries.ts";

/** Keeps the id and issues a new secret; the old one works only until the grace period ends. */
export async function rotateApiKey(
  ctx: ProjectCtx,
  id: string,
  { grace_period_minutes = 0 }: RotateApiKey,
): Promise<RotatedApiKey> {
  const key = newKey();
  const rotated = await inTransaction(ctx, async (tx) => {
    const before = await lockApiKey(tx, id);
    if (!before) throw notFound("API key");
    if (before.revoked_at !== null) throw new ApiError("api_key_revoked", "A revoked key cannot be rotated.");
    await refuseRotation(tx, before);
    await replaceSecret(tx, id, {
      hash: hashKey(key),
      key_prefix: keyPrefix(key),
      grace_minutes: grace_period_minutes,
    });
    const after = await getApiKey(tx, id);
    await recordAudit(tx, { action: "api_key.rotated", resource_type: "api_key", resource_id: id, before, after });
    tx.afterCommit(({ keyCache }) => keyCache.clear());
    return after;
  });
  return { ...rotated, key };
}
