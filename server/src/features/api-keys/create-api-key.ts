import type { CreateApiKey, CreatedApiKey } from "@millrace/contract/access/api-keys";
import { hashKey, keyPrefix, newKey } from "../../platform/access/credentials/key-format.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { readGrant, readRateLimits } from "./grant-rules.ts";
import { getApiKey, insertApiKey } from "./queries.ts";

/** Only this response contains the secret; the database stores its hash. */
export async function createApiKey(ctx: ProjectCtx, body: CreateApiKey, key = newKey()): Promise<CreatedApiKey> {
  const grant = await readGrant(ctx, body);
  const id = newId();
  const row = {
    id,
    ...grant,
    name: body.name,
    subject: null,
    key_prefix: keyPrefix(key),
    hash: hashKey(key),
    rate_limits: readRateLimits(body.rate_limits),
    expires_in_days: body.expires_in_days ?? null,
    rotation_interval_days: body.rotation_interval_days ?? null,
    ...createdBy(actorOf(ctx.caller)),
  };
  return inTransaction(ctx, async (tx) => {
    await insertApiKey(tx, row).catch((error) => {
      throw violates(error, "api_keys_project_id_environment_id_fkey") ? environmentGone(body) : error;
    });
    const created = await getApiKey(tx, id);
    await recordAudit(tx, { action: "api_key.created", resource_type: "api_key", resource_id: id, after: created });
    return { ...created, key };
  });
}

/** Deleted between the check and the insert. */
function environmentGone(body: CreateApiKey) {
  return invalid("body.environment_id", "is not an environment of this project", body.environment_id);
}
