import { holdsScope, type Scope } from "@millrace/contract/scopes";
import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Caller, Ctx, ProjectCtx } from "../context.ts";
import { perService } from "../service-state.ts";

export type AccessPolicy = {
  id: string;
  effect: "allow" | "deny";
  actions: readonly string[];
  subject: string;
  resource_type: string | null;
  resource_id: string | null;
  tag_key: string | null;
  tag_value: string | null;
};

/** What bears on one request: the action that its row names, and the policies of the project for it and its caller. */
export type Access = { action: Scope; isHeld: boolean; policies: readonly AccessPolicy[] };

const FRESH_MS = 1_000;
const MOST_PROJECTS = 5_000;

const cacheOf = perService(() => new LRUCache<string, Promise<AccessPolicy[]>>({ max: MOST_PROJECTS, ttl: FRESH_MS }));

/** Called after every change: it acts at once on this instance, within the second elsewhere. */
export function forgetPolicies(ctx: Ctx): void {
  cacheOf(ctx).clear();
}

export async function readAccess(ctx: Ctx, caller: Caller, project_id: string, action: Scope): Promise<Access> {
  const isHeld = holdsScope(caller.scopes, action);
  const names = subjectsOf(caller);
  if (names.length === 0) return { action, isHeld, policies: [] };
  const policies = await policiesOf(ctx, project_id);
  return { action, isHeld, policies: bearingOn(policies, names, action) };
}

/** The same context for another action: a request may do several. */
export async function withAccess(ctx: ProjectCtx, action: Scope): Promise<ProjectCtx> {
  return { ...ctx, access: await readAccess(ctx, ctx.caller, ctx.project_id, action) };
}

/** The same context with what is denied of another action: for a second object that a request will have acted on. */
export async function withDenies<C extends ProjectCtx>(ctx: C, action: Scope): Promise<C> {
  return { ...ctx, access: { ...(await readAccess(ctx, ctx.caller, ctx.project_id, action)), isHeld: true } };
}

function bearingOn(policies: readonly AccessPolicy[], subjects: readonly string[], action: Scope) {
  // Most projects have none, and most requests are on the way of thousands.
  if (policies.length === 0) return policies;
  return policies.filter((policy) => subjects.includes(policy.subject) && covers(policy.actions, action));
}

/** Under which names policies know a caller. The internal secret stands above them. */
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

function covers(actions: readonly string[], action: Scope): boolean {
  const [area] = action.split(":");
  return actions.includes("*") || actions.includes(action) || actions.includes(`${area}:*`);
}

function policiesOf(ctx: Ctx, project_id: string): Promise<AccessPolicy[]> {
  const cache = cacheOf(ctx);
  const known = cache.get(project_id);
  if (known) return known;
  const asked = readPolicies(ctx, project_id);
  cache.set(project_id, asked);
  asked.catch(() => cache.delete(project_id));
  return asked;
}

async function readPolicies(ctx: Ctx, project_id: string): Promise<AccessPolicy[]> {
  const { rows } = await sql<AccessPolicy>`
    /* kept */
    select p.id, p.effect, p.actions, p.subject, p.resource_type, p.resource_id, p.tag_key, p.tag_value
    from access_policies p where p.project_id = ${project_id} order by p.id`.execute(ctx.db);
  return rows;
}
