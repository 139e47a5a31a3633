import { isDeepStrictEqual } from "node:util";
import {
  ApiKey,
  ApiKeyList,
  CreateApiKey,
  CreatedApiKey,
  ListApiKeysQuery,
  RotateApiKey,
  RotatedApiKey,
  UpdateApiKey,
} from "@millrace/contract/access/api-keys";
import { hashKey, keyPrefix, newKey } from "../../platform/access/credentials/key-format.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createApiKey } from "./create-api-key.ts";
import { readRateLimits, refuseRotation, refuseWiderKey } from "./grant-rules.ts";
import { personalKeyRoutes } from "./personal-key-routes.ts";
import {
  getApiKey,
  listApiKeys as listRows,
  lockApiKey,
  replaceSecret,
  revokeApiKeyRow,
  updateApiKeyRow,
} from "./queries.ts";

const foundBy = { table: "api_keys", param: "keyID" } as const;

export const apiKeyRoutes: Route[] = [
  projectRoute("POST /v1/api-keys", {
    summary: "Create an API key; only this response contains its secret",
    scope: "api-keys:write",
    body: CreateApiKey,
    response: CreatedApiKey,
    status: 201,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => createApiKey(ctx, body),
  }),
  projectRoute("GET /v1/api-keys", {
    summary: "List API keys",
    scope: "api-keys:read",
    query: ListApiKeysQuery,
    response: ApiKeyList,
    run: (ctx, { query }) => listApiKeys(ctx, query),
  }),
  projectRoute("GET /v1/api-keys/{keyID}", {
    summary: "Get an API key",
    scope: "api-keys:read",
    foundBy,
    response: ApiKey,
    run: (ctx, { params }) => getApiKey(ctx, params.keyID),
  }),
  projectRoute("PATCH /v1/api-keys/{keyID}", {
    summary: "Change the name or the rate limits of an API key",
    scope: "api-keys:write",
    foundBy,
    body: UpdateApiKey,
    response: ApiKey,
    errors: ["api_key_revoked", "grant_too_wide"],
    run: (ctx, { params, body }) => updateApiKey(ctx, params.keyID, body),
  }),
  projectRoute("DELETE /v1/api-keys/{keyID}", {
    summary: "Revoke an API key",
    scope: "api-keys:write",
    foundBy,
    errors: ["grant_too_wide"],
    run: (ctx, { params }) => revokeApiKey(ctx, params.keyID),
  }),
  projectRoute("POST /v1/api-keys/{keyID}/rotate", {
    summary: "Rotate the secret of an API key",
    scope: "api-keys:write",
    foundBy,
    body: RotateApiKey,
    response: RotatedApiKey,
    errors: ["api_key_revoked", "grant_too_wide"],
    run: (ctx, { params, body }) => rotateApiKey(ctx, params.keyID, body),
  }),
  ...personalKeyRoutes,
];

async function listApiKeys(ctx: ProjectCtx, query: ListApiKeysQuery) {
  const page = readPage(ctx, "api-keys", query, "k");
  return presentPage(ctx, page, await listRows(ctx, page, query));
}

/** Revokes a key for good. Idempotent: a second revocation changes nothing. */
async function revokeApiKey(ctx: ProjectCtx, id: string): Promise<undefined> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockApiKey(tx, id);
    if (!before) throw notFound("API key");
    refuseWiderKey(tx, before);
    tx.afterCommit(({ keyCache }) => keyCache.clear());
    if (!(await revokeApiKeyRow(tx, id))) return;
    await recordAudit(tx, { action: "api_key.revoked", resource_type: "api_key", resource_id: id, before });
  });
}

/** Keeps the id and issues a new secret; the old one works only until the grace period ends. */
async function rotateApiKey(
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

/** Changes the name and the limits. Its permissions never change: the holder would not notice. */
async function updateApiKey(ctx: ProjectCtx, id: string, body: UpdateApiKey): Promise<Omit<ApiKey, "$schema">> {
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
