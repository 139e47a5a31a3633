import { holdsScope, type Scope } from "@millrace/contract/access/scopes";
import type { Caller, CallerCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError, invalid, notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { RouteAuth } from "../../platform/route.ts";

type Requested = { method: string; projectNames: string[]; params: Record<string, string> };

/**
 * The project of a request. A key implies its own; the internal secret names it, or the id in the path determines it.
 */
export function findProject(
  ctx: CallerCtx,
  auth: Extract<RouteAuth, { kind: "project" }>,
  requested: Requested,
): string | Promise<string> {
  const [name, other] = requested.projectNames;
  if (other !== undefined) throw invalid("query.project_id", "differs from the one in the header or the body", name);
  if (ctx.caller.kind === "api_key") {
    const own = ctx.caller.project_id;
    return name === undefined || name === own ? own : projectOfKey(ctx, ctx.caller, name, requested.method);
  }
  if (ctx.caller.kind === "member" && ctx.caller.key) return projectOfPersonalKey(ctx, ctx.caller.key, name);
  if (name !== undefined) return existingProject(ctx, name);
  return projectByPath(ctx, auth, requested.params);
}

async function projectOfKey(
  ctx: CallerCtx,
  key: Extract<CallerCtx["caller"], { kind: "api_key" }>,
  name: string,
  method: string,
): Promise<string> {
  const named = await lookUpProject(ctx, name);
  if (named?.id === key.project_id) return named.id;
  if (named && method === "GET" && key.org_id !== null && named.org_id === key.org_id) return named.id;
  throw new ApiError("project_mismatch", "The API key does not belong to the project that the request names.");
}

async function projectOfPersonalKey(ctx: CallerCtx, { project_id }: { project_id: string }, name: string | undefined) {
  if (name === undefined || name === project_id) return project_id;
  if ((await lookUpProject(ctx, name))?.id === project_id) return project_id;
  throw new ApiError("project_mismatch", "The personal key does not belong to the project that the request names.");
}

async function existingProject(ctx: CallerCtx, name: string): Promise<string> {
  const found = await lookUpProject(ctx, name);
  if (!found) throw notFound("project");
  return found.id;
}

async function projectByPath(
  ctx: CallerCtx,
  auth: Extract<RouteAuth, { kind: "project" }>,
  params: Record<string, string>,
): Promise<string> {
  const id = auth.found_by && params[auth.found_by.param];
  if (!auth.found_by || id === undefined) throw projectRequired();
  const { name, hasSlug } = OBJECTS[auth.found_by.table] ?? { name: "object", hasSlug: false };
  // A slug is only unique within its project.
  if (hasSlug && !isId(id)) throw projectRequired();
  // The id is unique over all projects: the only statement on tenant tables that looks up the project instead of
  // being given it. Primary keys begin with the project, so each project is probed: an index lookup per project, and
  // never a scan.
  const found = isId(id)
    ? await sql<{ project_id: string }>`
        select p.id as project_id from projects p, lateral (
          select 1 from ${sql.id(auth.found_by.table)} t where t.project_id = p.id and t.id = ${id} offset 0
        ) t
        where p.deleted_at is null limit 1`.execute(ctx.db)
    : undefined;
  const project_id = found?.rows[0]?.project_id;
  if (!project_id) throw notFound(name);
  return project_id;
}

/** The same name as the modules use in their own 404: the responses must not differ. */
const OBJECTS: Record<string, { name: string; hasSlug: boolean }> = {
  environments: { name: "environment", hasSlug: true },
  api_keys: { name: "API key", hasSlug: false },
  jobs: { name: "job", hasSlug: true },
  runs: { name: "run", hasSlug: false },
  workflow_runs: { name: "workflow run", hasSlug: false },
  run_capsules: { name: "capsule", hasSlug: false },
  batch_operations: { name: "batch operation", hasSlug: false },
  schedules: { name: "schedule", hasSlug: false },
  workflows: { name: "workflow", hasSlug: true },
  access_policies: { name: "policy", hasSlug: false },
  roles: { name: "role", hasSlug: true },
  members: { name: "member", hasSlug: false },
  invitations: { name: "invitation", hasSlug: false },
  saved_views: { name: "saved view", hasSlug: false },
  log_drains: { name: "log drain", hasSlug: false },
  alert_rules: { name: "alert rule", hasSlug: false },
  alert_channels: { name: "alert channel", hasSlug: false },
  alerts: { name: "alert", hasSlug: false },
  error_groups: { name: "error issue", hasSlug: false },
  outbox_sources: { name: "outbox source", hasSlug: false },
  webhook_deliveries: { name: "webhook delivery", hasSlug: false },
  webhook_subscriptions: { name: "webhook subscription", hasSlug: false },
  event_sources: { name: "event source", hasSlug: true },
};

function projectRequired(): ApiError {
  return new ApiError("project_required", "Set the project: ?project_id=, X-Project-Id, or project_id in the body.", {
    errors: [{ location: "query.project_id", message: "is required with this credential", value: null }],
  });
}

async function lookUpProject(ctx: CallerCtx, name: string) {
  const { rows } = await sql<{ id: string; org_id: string | null }>`
    select id, org_id from projects
    where ${isId(name) ? sql`id = ${name}` : sql`slug = ${name}`} and deleted_at is null`.execute(ctx.db);
  return rows[0];
}

export function requireScope(caller: Caller, scope: Scope | undefined): void {
  if (scope === undefined || holdsScope(caller.scopes, scope)) return;
  throw new ApiError("scope_missing", `This needs the scope ${scope}.`);
}
