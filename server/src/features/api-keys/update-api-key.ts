import { isDeepStrictEqual } from "node:util";
import type { ApiKey, UpdateApiKey } from "@millrace/contract/api-keys";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { getApiKey } from "./get-api-key.ts";
import { refuseWiderKey } from "./grant-rules.ts";
import { lockApiKey, updateApiKeyRow } from "./queries.ts";
import { readRateLimits } from "./read-rate-limits.ts";

/** Changes the name and the limits. Its permissions never change: whoever holds it would not notice. */
export async function updateApiKey(ctx: ProjectCtx, id: string, body: UpdateApiKey): Promise<Omit<ApiKey, "$schema">> {
  return inTransaction(ctx, async (tx) => {
    const before = await lockApiKey(tx, id);
    if (!before) throw notFound("API key");
    if (before.revoked_at !== null) throw new ApiError("api_key_revoked", "A revoked key cannot be changed.");
    refuseWiderKey(tx, before);
    const name = body.name ?? before.name;
    const rate_limits = body.rate_limits === undefined ? before.rate_limits : readRateLimits(body.rate_limits);
    if (name === before.name && isDeepStrictEqual(rate_limits, before.rate_limits)) return before;
    await updateApiKeyRow(tx, { id, name, rate_limits });
    const after = await getApiKey(tx, id);
    await recordAudit(tx, { action: "api_key.updated", resource_type: "api_key", resource_id: id, before, after });
    tx.afterCommit(({ keyCache }) => keyCache.clear());
    return after;
  });
}
