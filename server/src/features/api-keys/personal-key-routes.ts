import {
  ApiKeyList,
  CreatedApiKey,
  CreatePersonalKey,
  ListPersonalKeysQuery,
} from "@millrace/contract/access/api-keys";
import { hashKey, keyPrefix, newKey } from "../../platform/access/credentials/key-format.ts";
import { requirePerson, subjectOfPerson } from "../../platform/access/person.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";
import { getApiKey, insertApiKey, listApiKeys, lockApiKey, revokeApiKeyRow } from "./queries.ts";

/** Any member may create them: personal keys are limited to the member's role, and end with the membership. */
export const personalKeyRoutes: Route[] = [
  projectRoute("POST /v1/api-keys/personal", {
    summary: "Create a personal key that acts on behalf of the caller; only this response contains its secret",
    scope: undefined,
    body: CreatePersonalKey,
    response: CreatedApiKey,
    status: 201,
    errors: ["forbidden"],
    run: (ctx, { body }) => create(ctx, body),
  }),
  projectRoute("GET /v1/api-keys/personal", {
    summary: "List the caller's own keys",
    scope: undefined,
    query: ListPersonalKeysQuery,
    response: ApiKeyList,
    run: (ctx, { query }) => list(ctx, query),
  }),
  projectRoute("DELETE /v1/api-keys/personal/{keyID}", {
    summary: "Revoke one of the caller's own keys",
    scope: undefined,
    foundBy: { table: "api_keys", param: "keyID" },
    run: (ctx, { params }) => revoke(ctx, params.keyID),
  }),
];

async function create(ctx: ProjectCtx, { name, scopes, expires_in_days }: CreatePersonalKey): Promise<CreatedApiKey> {
  const subject = requirePerson(ctx, "Only a person has personal keys.");
  const [id, key] = [newId(), newKey()];
  return inTransaction(ctx, async (tx) => {
    const row = { id, name, subject, scopes: scopes ?? null, expires_in_days: expires_in_days ?? null };
    const { caller, session } = ctx;
    const person = { provider: session?.provider ?? null, email: caller.kind === "member" ? caller.email : null };
    const secret = { key_prefix: keyPrefix(key), hash: hashKey(key) };
    await insertApiKey(tx, { ...row, ...person, ...secret, ...OF_ITS_PERSON, ...createdBy(actorOf(ctx.caller)) });
    const created = await getApiKey(tx, id);
    await recordAudit(tx, { action: "api_key.created", resource_type: "api_key", resource_id: id, after: created });
    return { ...created, key };
  });
}

/** Limited only by its owner's role. */
const OF_ITS_PERSON = {
  environment_id: null,
  org_id: null,
  rate_limits: null,
  queues: null,
  worker_environment_ids: null,
  rotation_interval_days: null,
};

async function list(ctx: ProjectCtx, query: ListPersonalKeysQuery) {
  const subject = subjectOfPerson(ctx);
  const page = readPage(ctx, "personal-keys", query, "k");
  return presentPage(ctx, page, subject === null ? [] : await listApiKeys(ctx, page, { ...query, subject }));
}

async function revoke(ctx: ProjectCtx, id: string): Promise<undefined> {
  const subject = subjectOfPerson(ctx);
  await inTransaction(ctx, async (tx) => {
    const before = await lockApiKey(tx, id);
    if (!before || subject === null || before.subject !== subject) throw notFound("API key");
    tx.afterCommit(({ keyCache }) => keyCache.clear());
    if (!(await revokeApiKeyRow(tx, id))) return;
    await recordAudit(tx, { action: "api_key.revoked", resource_type: "api_key", resource_id: id, before });
  });
}
