import type { ApiKey, CreateApiKey } from "@millrace/contract/access/api-keys";
import { scopesBeyond } from "@millrace/contract/access/scopes";
import { boundEnvironment } from "../../platform/access/environments.ts";
import { refuseDeniedGrant } from "../../platform/access/policies/refuse-denied.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { readWorkerGrant, refuseWiderWorkers } from "./grant-workers.ts";
import { type ApiKeyRow, findGrantable } from "./queries.ts";

/**
 * The permissions of the new key. A caller can grant only what it holds: scopes, environment, org, and what workers may
 * serve.
 */
export async function readGrant(ctx: ProjectCtx, body: CreateApiKey) {
  const requested = body.environment_id ?? null;
  const found = await findGrantable(ctx, requested);
  const environment_id = grantedEnvironment(ctx, found?.environment_id ?? requested);
  if (requested !== null && !found?.environment_id) {
    throw invalid("body.environment_id", "is not an environment of this project", requested);
  }
  const org_id = body.org_id ?? null;
  if (org_id !== null) refuseForeignOrg(ctx, org_id, found?.org_id ?? null);
  const scopes = grantedScopes(ctx, body.scopes ?? null);
  await refuseDeniedGrant(ctx, scopes);
  return { environment_id, org_id, scopes, ...(await readWorkerGrant(ctx, body, environment_id)) };
}

/**
 * A caller who rotates a key learns its secret, so the caller must hold every permission of the key, with none denied.
 */
export async function refuseRotation(ctx: ProjectCtx, key: ApiKeyRow): Promise<void> {
  refuseWiderKey(ctx, key);
  if (key.subject !== null)
    throw new ApiError("grant_too_wide", "A personal key cannot be rotated. Its owner can create another one.");
  const isOwn = ctx.caller.kind === "api_key" && ctx.caller.key_id === key.id;
  if (!isOwn) await refuseDeniedGrant(ctx, key.scopes);
}

/** A caller cannot take away permissions that it does not hold itself. */
export function refuseWiderKey(ctx: ProjectCtx, key: ApiKeyRow): void {
  refuseWiderScopes(ctx, key.scopes);
  grantedEnvironment(ctx, key.environment_id);
  refuseWiderWorkers(ctx, key);
  if (key.org_id !== null) refuseWiderOrg(ctx, key.org_id);
}

function grantedScopes(ctx: ProjectCtx, requested: readonly string[] | null): readonly string[] | null {
  if (requested === null) return ctx.caller.scopes;
  refuseWiderScopes(ctx, requested);
  return requested;
}

function refuseWiderScopes({ caller }: ProjectCtx, scopes: readonly string[] | null): void {
  const beyond = scopesBeyond(caller.scopes, scopes);
  if (beyond.length === 0) return;
  throw new ApiError("grant_too_wide", `The caller does not hold ${beyond.join(", ")} and cannot grant it.`, {
    errors: beyond.map((value) => ({ location: "body.scopes", message: "is not held by the caller", value })),
  });
}

function grantedEnvironment({ caller }: ProjectCtx, requested: string | null): string | null {
  const bound = boundEnvironment(caller);
  if (bound === null || bound === requested) return requested;
  if (requested === null) return bound;
  throw new ApiError("grant_too_wide", "This key is bound to one environment and can create keys for that one only.");
}

function refuseForeignOrg(ctx: ProjectCtx, org_id: string, projectOrg: string | null): void {
  if (org_id !== projectOrg) throw invalid("body.org_id", "is not the org of this project", org_id);
  refuseWiderOrg(ctx, org_id);
}

function refuseWiderOrg({ caller }: ProjectCtx, org_id: string): void {
  if (caller.kind === "internal_secret" || caller.org_id === org_id) return;
  throw new ApiError("grant_too_wide", "The caller cannot read the whole org, so it cannot grant that right.");
}

/** All three fields, or null if none is set. */
export function readRateLimits(given: CreateApiKey["rate_limits"]): ApiKey["rate_limits"] {
  const { requests_per_minute = null, triggers_per_minute = null, bulk_per_minute = null } = given ?? {};
  const limits = { requests_per_minute, triggers_per_minute, bulk_per_minute };
  return Object.values(limits).every((limit) => limit === null) ? null : limits;
}
