import {
  ApiKey,
  ApiKeyList,
  CreateApiKey,
  CreatedApiKey,
  ListApiKeysQuery,
  RotateApiKey,
  RotatedApiKey,
  UpdateApiKey,
} from "@millrace/contract/api-keys";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { createApiKey } from "./create-api-key.ts";
import { getApiKey } from "./get-api-key.ts";
import { listApiKeys as listRows } from "./queries.ts";
import { revokeApiKey } from "./revoke-api-key.ts";
import { rotateApiKey } from "./rotate-api-key.ts";
import { updateApiKey } from "./update-api-key.ts";

const foundBy = { table: "api_keys", param: "keyID" } as const;

export const apiKeyRoutes: Route[] = [
  projectRoute({
    method: "POST",
    path: "/v1/api-keys",
    summary: "Create an API key; only this response contains its secret",
    scope: "api-keys:write",
    body: CreateApiKey,
    response: CreatedApiKey,
    status: 201,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => createApiKey(ctx, body),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/api-keys",
    summary: "List API keys",
    scope: "api-keys:read",
    query: ListApiKeysQuery,
    response: ApiKeyList,
    run: (ctx, { query }) => listApiKeys(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/api-keys/{keyID}",
    summary: "Get an API key",
    scope: "api-keys:read",
    foundBy,
    response: ApiKey,
    run: (ctx, { params }) => getApiKey(ctx, params.keyID),
  }),
  projectRoute({
    method: "PATCH",
    path: "/v1/api-keys/{keyID}",
    summary: "Change the name or the rate limits of an API key",
    scope: "api-keys:write",
    foundBy,
    body: UpdateApiKey,
    response: ApiKey,
    errors: ["api_key_revoked", "grant_too_wide"],
    run: (ctx, { params, body }) => updateApiKey(ctx, params.keyID, body),
  }),
  projectRoute({
    method: "DELETE",
    path: "/v1/api-keys/{keyID}",
    summary: "Revoke an API key",
    scope: "api-keys:write",
    foundBy,
    errors: ["grant_too_wide"],
    run: (ctx, { params }) => revokeApiKey(ctx, params.keyID),
  }),
  projectRoute({
    method: "POST",
    path: "/v1/api-keys/{keyID}/rotate",
    summary: "Rotate the secret of an API key",
    scope: "api-keys:write",
    foundBy,
    body: RotateApiKey,
    response: RotatedApiKey,
    errors: ["api_key_revoked", "grant_too_wide"],
    run: (ctx, { params, body }) => rotateApiKey(ctx, params.keyID, body),
  }),
];

async function listApiKeys(ctx: ProjectCtx, query: ListApiKeysQuery) {
  const page = readPage(ctx, "api-keys", query, "k");
  return presentPage(ctx, page, await listRows(ctx, page, query.status));
}
