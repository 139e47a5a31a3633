import { holdsScope, type Scope } from "@millrace/contract/access/scopes";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { readAccess } from "../../platform/access/policies/policies.ts";
import { isUnderPolicies, visible, visibleSchedule } from "../../platform/access/policies/visibility.ts";
import type { Access, Caller, CallerCtx, Ctx, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import type { Route } from "../../platform/route.ts";
import { requireScope } from "./find-project.ts";

/** Lists that show only rows which `visible` allows: an `allow` policy opens the objects it names in them. */
const OPEN_LISTS: ReadonlySet<string> = new Set([
  "GET /v1/jobs",
  "GET /v1/runs",
  "GET /v1/workflows",
  "GET /v1/workflow-runs",
]);

/** The resource type that policies use for the objects of each scope area. */
const TYPE_OF_AREA: Record<string, string> = {
  environments: "environment",
  "api-keys": "api_key",
  jobs: "job",
  runs: "run",
  workflows: "workflow",
  events: "event_trigger",
  webhooks: "webhook_delivery",
  drains: "log_drain",
};

/**
 * Whether a key without the scope may continue, since a policy allows it something here. `visible` decides which
 * objects.
 */
export async function isOpenedByPolicy(
  ctx: Ctx,
  route: Route,
  caller: Extract<Caller, { kind: "api_key" }>,
): Promise<boolean> {
  if (route.auth.kind !== "project" || route.auth.scope === undefined) return false;
  if (holdsScope(caller.scopes, route.auth.scope) || caller.limits || !isOpenToAllow(route)) return false;
  return hasAllow(await readAccess(ctx, caller, caller.project_id, route.auth.scope));
}

/** The policies of a request whose project is known. Refuses what they deny entirely, for any object. */
export function requireAccess(ctx: CallerCtx, route: Route, project_id: string): Access | undefined | Promise<Access> {
  if (route.auth.kind !== "project" || route.auth.scope === undefined) return undefined;
  // Permissions, the audit log, alerts and outbox sources are not specific to an environment.
  if (/^(access|audit|alerts|outbox):/.test(route.auth.scope))
    refuseBoundKey(ctx.caller, "access, audit, alerts and outbox sources are");
  if (route.auth.scope.startsWith("alerts:")) return requireAlerts(ctx, route, project_id, route.auth.scope);
  const access = readAccess(ctx, ctx.caller, project_id, route.auth.scope);
  if (access instanceof Promise) return access.then((read) => granted(ctx.caller, route, read));
  return granted(ctx.caller, route, access);
}

/** What alerts are about: they show counts, hosts and errors of all of it. */
const BEHIND_ALERTS = ["jobs:read", "runs:read", "workflows:read"] as const;

async function requireAlerts(ctx: CallerCtx, route: Route, project_id: string, scope: Scope): Promise<Access> {
  const access = granted(ctx.caller, route, await readAccess(ctx, ctx.caller, project_id, scope));
  for (const action of BEHIND_ALERTS) {
    const { policies } = await readAccess(ctx, ctx.caller, project_id, action);
    const denying = policies.find(({ effect }) => effect === "deny");
    if (denying)
      throw new ApiError(
        "policy_denied",
        `The policy ${denying.id} denies ${action} to some of what alerts are about: the whole project.`,
      );
  }
  return access;
}

function granted(caller: Caller, route: Route, access: Access): Access {
  if (!access.isHeld && !(isOpenToAllow(route) && hasAllow(access))) requireScope(caller, access.action);
  refuseDenied(access);
  return access;
}

/**
 * Without the scope an `allow` opens only the objects it names. Everything else, existing or not, gets the same 403 as
 * without any policy: an `allow` for one job reveals no others.
 */
export async function requireOpened(ctx: ProjectCtx, { auth }: Route, params: Record<string, string>) {
  if (auth.kind !== "project" || auth.found_by === undefined || auth.scope === undefined) return;
  const { table, param } = auth.found_by;
  const ref = params[param] ?? "";
  const named = isId(ref) ? sql`t.id = ${ref}` : HAS_SLUG.has(table) ? sql`t.slug = ${ref}` : sql`false`;
  const seen =
    table === "schedules" ? visibleSchedule(ctx, "t") : visible(ctx, table as Parameters<typeof visible>[1], "t");
  const { rows } = await sql`
    select 1 from ${sql.id(auth.found_by.table)} t
    where t.project_id = ${ctx.project_id} and ${named} and ${seen}`.execute(ctx.db);
  if (rows.length === 0) requireScope(ctx.caller, auth.scope);
}

const HAS_SLUG: ReadonlySet<string> = new Set(["environments", "jobs", "workflows"]);

/** The same for routes about the project itself, which a key implies. */
export async function requireOwnAccess(ctx: CallerCtx, scope: Scope | undefined): Promise<void> {
  if (ctx.caller.kind !== "api_key" || scope === undefined) return;
  refuseDenied(await readAccess(ctx, ctx.caller, ctx.caller.project_id, scope));
}

function refuseDenied({ policies, action }: Access): void {
  if (policies.length === 0) return;
  const [area = ""] = action.split(":");
  const denying = policies.find(
    ({ effect, resource_type, resource_id }) =>
      effect === "deny" && resource_id === "*" && (resource_type === "*" || resource_type === TYPE_OF_AREA[area]),
  );
  if (denying) throw new ApiError("policy_denied", `The policy ${denying.id} denies ${action}.`);
}

function hasAllow({ policies }: Access): boolean {
  return policies.some(({ effect }) => effect === "allow");
}

function isOpenToAllow({ auth, method, path }: Route): boolean {
  if (OPEN_LISTS.has(`${method} ${path}`)) return true;
  return auth.kind === "project" && auth.found_by !== undefined && isUnderPolicies(auth.found_by.table);
}
