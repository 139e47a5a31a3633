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
export type Access = {
  action: Scope;
  isHeld: boolean;
  policies: readonly AccessPolicy[];
  /** What is denied of another action, which bounds this one too. */
  also?: Access;
};

/** Nothing is kept from whoever asks. */
export function isWhole({ isHeld, policies, also }: Access): boolean {
  return isHeld && policies.length === 0 && (also === undefined || isWhole(also));
}

const FRESH_MS = 1_000;
const MOST_PROJECTS = 5_000;

type Cached = { asked: Promise<AccessPolicy[]>; read: AccessPolicy[] | undefined; until_ms: number };

const cacheOf = perService(() => new LRUCache<string, Cached>({ max: MOST_PROJECTS }));

/** Called after every change: it acts at once on this instance, within the second elsewhere. */
export function forgetPolicies(ctx: Ctx): void {
  cacheOf(ctx).clear();
}

/** What is known, and at most a second old, is not waited for: every request asks. */
export function readAccess(ctx: Ctx, caller: Caller, project_id: string, action: Scope): Access | Promise<Access> {
  if (caller.kind === "internal_secret") return { action, isHeld: true, policies: [] };
  const policies = policiesOf(ctx, project_id);
  if (policies instanceof Promise) return policies.then((read) => accessBy(read, caller, action));
  return accessBy(policies, caller, action);
}

function accessBy(policies: readonly AccessPolicy[], caller: Caller, action: Scope): Access {
  return { action, isHeld: holdsScope(caller.scopes, action), policies: bearingOn(policies, caller, action) };
}

/** What bears on an action of anybody's: for where it is not known who asks. */
export async function readAnybodys(ctx: Ctx, project_id: string, action: Scope): Promise<AccessPolicy[]> {
  return (await policiesOf(ctx, project_id)).filter(({ actions }) => covers(actions, action));
}

/** The same context for another action: a request may do several. */
export async function withAccess(ctx: ProjectCtx, action: Scope): Promise<ProjectCtx & { access: Access }> {
  return { ...ctx, access: await readAccess(ctx, ctx.caller, ctx.project_id, action) };
}

/** The same context with what is denied of another action: for a second object that a request will have acted on. */
export async function withDenies<C extends ProjectCtx>(ctx: C, action: Scope): Promise<C> {
  return { ...ctx, access: { ...(await readAccess(ctx, ctx.caller, ctx.project_id, action)), isHeld: true } };
}

/**
 * The same context, bounded also by what is denied of another action: of what a filter chooses, by what the caller is
 * denied to read, since counts tell of it. A batch keeps it.
 */
export async function withDeniesToo<C extends ProjectCtx>(ctx: C, action: Scope): Promise<C> {
  const { access: also } = await withDenies(ctx, action);
  return { ...ctx, ...(ctx.access && also && { access: { ...ctx.access, also } }) };
}

function bearingOn(policies: readonly AccessPolicy[], caller: Caller, action: Scope) {
  // Most projects have none, and most requests are on the way of thousands.
  if (policies.length === 0) return policies;
  const subjects = subjectsOf(caller);
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

/** Whether what a policy names, such as `runs:*`, has the action in it. */
export function covers(actions: readonly string[], action: Scope): boolean {
  const [area] = action.split(":");
  return actions.includes("*") || actions.includes(action) || actions.includes(`${area}:*`);
}

/** The promise is kept, so that a burst asks once. By the clock and not by the cache's own: that sets a timer each millisecond. */
function policiesOf(ctx: Ctx, project_id: string): AccessPolicy[] | Promise<AccessPolicy[]> {
  const cache = cacheOf(ctx);
  const known = cache.get(project_id);
  if (known && known.until_ms > performance.now()) return known.read ?? known.asked;
  const asked = readPolicies(ctx, project_id);
  const fresh: Cached = { asked, read: undefined, until_ms: performance.now() + FRESH_MS };
  cache.set(project_id, fresh);
  asked.then(
    (read) => {
      fresh.read = read;
    },
    () => cache.delete(project_id),
  );
  return asked;
}

async function readPolicies(ctx: Ctx, project_id: string): Promise<AccessPolicy[]> {
  const { rows } = await sql<AccessPolicy>`
    /* prepared */
    select p.id, p.effect, p.actions, p.subject, p.resource_type, p.resource_id, p.tag_key, p.tag_value
    from access_policies p where p.project_id = ${project_id} order by p.id`.execute(ctx.db);
  return rows;
}
