import { scopesBeyond } from "@millrace/contract/access/scopes";
import { CreateToken, MAX_TOKEN_SECS, Token } from "@millrace/contract/access/tokens";
import { signScopedToken } from "../../platform/access/credentials/scoped-token.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx, TokenLimits } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { newId } from "../../platform/ids.ts";
import { projectRoute, type Route } from "../../platform/route.ts";

export const tokenRoutes: Route[] = [
  projectRoute("POST /v1/tokens", {
    summary: "Create a scoped token for a browser",
    // Every caller may delegate a part of its own permissions.
    scope: undefined,
    body: CreateToken,
    response: Token,
    status: 201,
    errors: ["grant_too_wide"],
    run: (ctx, { body }) => createToken(ctx, body),
  }),
];

/** The signed token holds its own permissions. Only an audit event of its creation is stored, without the token. */
async function createToken(ctx: ProjectCtx, requested: CreateToken): Promise<Omit<Token, "$schema">> {
  const key = requireKey(ctx);
  const { scopes, ttl_secs = MAX_TOKEN_SECS } = requested;
  const limits = readLimits(requested);
  const beyond = scopesBeyond(key.scopes, scopes);
  if (beyond.length > 0) {
    throw new ApiError("grant_too_wide", `You cannot grant scopes that you do not hold: ${beyond.join(", ")}.`);
  }
  await refuseHidden(ctx, limits);
  const expires_at_ms = Math.floor(ctx.watch.nowMs() / 1_000 + ttl_secs) * 1_000;
  const { project_id, key_id } = key;
  const id = newId();
  const after = {
    scopes,
    run_ids: requested.run_ids ?? null,
    workflow_run_ids: requested.workflow_run_ids ?? null,
    tags: requested.tags ?? null,
    expires_at: new Date(expires_at_ms).toISOString(),
  };
  await inTransaction(ctx, (tx) =>
    recordAudit(tx, { action: "token.created", resource_type: "token", resource_id: id, after }),
  );
  return { token: signScopedToken(ctx, { ...limits, id, project_id, key_id, scopes, expires_at_ms }), ...after };
}

/**
 * A token is valid as long as the key that created it, and for the key's own project, even if the key can read others.
 */
function requireKey({ caller, project_id }: ProjectCtx) {
  if (caller.kind !== "api_key")
    throw invalid("header.Authorization", "must be an API key: a token is valid only as long as its key", null);
  if (caller.project_id !== project_id)
    throw invalid("body.project_id", "must be the project of the API key", project_id);
  return caller;
}

function readLimits({ scopes, run_ids, workflow_run_ids, tags }: CreateToken): TokenLimits {
  const hasIds = run_ids !== undefined || workflow_run_ids !== undefined;
  if (!hasIds && tags === undefined)
    throw invalid("body.run_ids", "is required unless workflow_run_ids or tags are given", null);
  if (hasIds && tags !== undefined) throw invalid("body.tags", "cannot be given together with ids", tags);
  if (scopes.includes("jobs:trigger") && tags === undefined) {
    throw invalid("body.tags", "is required with jobs:trigger: runs that the token triggers get these tags", null);
  }
  return { run_ids: run_ids ?? [], workflow_run_ids: workflow_run_ids ?? [], tags: tags ?? null };
}

async function refuseHidden(ctx: ProjectCtx, { run_ids, workflow_run_ids }: TokenLimits): Promise<void> {
  const [hidden] = await findHidden(ctx, { run_ids, workflow_run_ids });
  if (!hidden) return;
  throw invalid(`body.${hidden.list}`, "names an object that does not exist", hidden.id);
}

type Named = { run_ids: readonly string[]; workflow_run_ids: readonly string[] };

/** Returns the named objects that do not exist or that the caller cannot see. */
async function findHidden(ctx: ProjectCtx, { run_ids, workflow_run_ids }: Named) {
  const { rows } = await sql<{ list: "run_ids" | "workflow_run_ids"; id: string }>`
    select 'run_ids' as list, k.id from unnest(${run_ids}::uuid[]) as k(id)
    where not exists (
      select 1 from runs r where r.project_id = ${ctx.project_id} and r.id = k.id and ${visible(ctx, "runs", "r")})
    union all
    select 'workflow_run_ids', k.id from unnest(${workflow_run_ids}::uuid[]) as k(id)
    where not exists (
      select 1 from workflow_runs w
      where w.project_id = ${ctx.project_id} and w.id = k.id and ${visible(ctx, "workflow_runs", "w")})
    limit 1`.execute(ctx.db);
  return rows;
}
