import { holdsScope, type Scope } from "@millrace/contract/access/scopes";
import { LRUCache } from "lru-cache";
import type { Access, AccessPolicy, Caller, Ctx, ProjectCtx } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { perService } from "../../service-state.ts";

/** Whether the scope is held and no policy restricts it. */
export function isUnrestricted({ isHeld, policies, also }: Access): boolean {
  return isHeld && policies.length === 0 && (also === undefined || isUnrestricted(also));
}

const FRESH_MS = 1_000;
const MAX_PROJECTS = 5_000;

type Cached = { reading: Promise<AccessPolicy[]>; read: AccessPolicy[] | undefined; until_ms: number };

const cacheOf = perService(() => new LRUCache<string, Cached>({ max: MAX_PROJECTS }));

/** Called after every change: effective at once on this instance, within a second on the others. */
export function invalidatePolicies(ctx: Ctx): void {
  cacheOf(ctx).clear();
}

/** An entry up to a second old is returned without await: every request needs it. */
export function readAccess(ctx: Ctx, caller: Caller, project_id: string, action: Scope): Access | Promise<Access> {
  if (caller.kind === "internal_secret") return { action, isHeld: true, policies: [] };
  const policies = policiesOf(ctx, project_id);
  if (policies instanceof Promise) return policies.then((read) => accessBy(read, caller, action));
  return accessBy(policies, caller, action);
}

function accessBy(policies: readonly AccessPolicy[], caller: Caller, action: Scope): Access {
  return { action, isHeld: holdsScope(caller.scopes, action), policies: relevantPolicies(policies, caller, action) };
}

/** The policies for an action by any caller, for places where the caller is unknown. */
export async function readPoliciesForAll(ctx: Ctx, project_id: string, action: Scope): Promise<AccessPolicy[]> {
  return (await policiesOf(ctx, project_id)).filter(({ actions }) => covers(actions, action));
}

/** The same context for another action, when one request performs several. */
export async function withAccess(ctx: ProjectCtx, action: Scope): Promise<ProjectCtx & { access: Access }> {
  return { ...ctx, access: await readAccess(ctx, ctx.caller, ctx.project_id, action) };
}

/** The same context plus the denies of another action, for a second object that the request acts on. */
export async function withDenies<C extends ProjectCtx>(ctx: C, action: Scope): Promise<C> {
  return { ...ctx, access: { ...(await readAccess(ctx, ctx.caller, ctx.project_id, action)), isHeld: true } };
}

/**
 * The same context, restricted also by the denies of another action: a filter must not select objects that the caller
 * may not read, since counts would reveal them. Stored with a batch.
 */
export async function withDeniesToo<C extends ProjectCtx>(ctx: C, action: Scope): Promise<C> {
  const { access: also } = await withDenies(ctx, action);
  return { ...ctx, ...(ctx.access && also && { access: { ...ctx.access, also } }) };
}

function relevantPolicies(policies: readonly AccessPolicy[], caller: Caller, action: Scope) {
  // Fast path: most projects have no policies, and this runs for every request.
  if (policies.length === 0) return policies;
  const subjects = subjectsOf(caller);
  return policies.filter((policy) => subjects.includes(policy.subject) && covers(policy.actions, action));
}

/** The names by which policies match a caller. Policies do not apply to the internal secret. */
export function subjectsOf(caller: Caller): string[] {
  switch (caller.kind) {
    case "internal_secret":
      return [];
    case "api_key":
      return ["*", `api_key:${caller.key_id}`];
    case "member":
      return ["*", `member:${caller.subject}`, ...caller.role_ids.map((id) => `role:${id}`)];
  }
}

/** Whether a policy's action pattern, such as `runs:*`, includes the action. */
export function covers(actions: readonly string[], action: Scope): boolean {
  const [area] = action.split(":");
  return actions.includes("*") || actions.includes(action) || actions.includes(`${area}:*`);
}

/**
 * The promise is cached, so a burst reads once. Timed by this code, since the cache's own TTL would set a timer each
 * millisecond.
 */
function policiesOf(ctx: Ctx, project_id: string): AccessPolicy[] | Promise<AccessPolicy[]> {
  const cache = cacheOf(ctx);
  const known = cache.get(project_id);
  if (known && known.until_ms > performance.now()) return known.read ?? known.reading;
  const reading = readPolicies(ctx, project_id);
  const fresh: Cached = { reading, read: undefined, until_ms: performance.now() + FRESH_MS };
  cache.set(project_id, fresh);
  reading.then(
    (read) => {
      fresh.read = read;
    },
    () => cache.delete(project_id),
  );
  return reading;
}

async function readPolicies(ctx: Ctx, project_id: string): Promise<AccessPolicy[]> {
  const { rows } = await sql<AccessPolicy>`
    /* prepared */
    select p.id, p.effect, p.actions, p.subject, p.resource_type, p.resource_id, p.tag_key, p.tag_value
    from access_policies p where p.project_id = ${project_id} order by p.id`.executeTogether(ctx.db);
  return rows;
}
