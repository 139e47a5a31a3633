import { findMember } from "../platform/access/credentials/member-cache.ts";
import { scopesWithin } from "../platform/access/person.ts";
import type { Access, Caller, CallerCtx, Ctx, ProjectCtx } from "../platform/context.ts";
import { never, notFound } from "../platform/errors/errors.ts";
import type { Route, SignedRequest } from "../platform/route.ts";
import { findProject } from "./gate/find-project.ts";
import { requireAccess, requireOpened, requireOwnAccess } from "./gate/policy-routes.ts";
import type { ApiRequest } from "./http-messages.ts";
import { propertiesOf } from "./request/read-only-fields.ts";

export type RouteInput = {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  idempotencyKey: string | undefined;
  lastEventId: string | undefined;
  accept: string | undefined;
  cookie: string | undefined;
  signed: SignedRequest | undefined;
};

/**
 * Builds the context in which a route runs for its caller: in a project, if it belongs to one, after checking
 * permission there.
 */
export function contextFor(
  service: Ctx,
  route: Route,
  request: ApiRequest,
  input: RouteInput,
): CallerCtx | ProjectCtx | Promise<CallerCtx | ProjectCtx> {
  const ctx = callerContext(service, request);
  switch (route.auth.kind) {
    case "internal":
      return ctx;
    case "caller":
      return requireOwnAccess(ctx, route.auth.scope).then(() => ctx);
    case "project": {
      const projectNames = takeProjectNames(request, input);
      const requested = { method: route.method, projectNames, params: input.params };
      const found = findProject(ctx, route.auth, requested);
      if (typeof found === "string" && ctx.caller.kind !== "member") return enterProject(ctx, route, input, found);
      return enterAsMember(ctx, route, request, input, found);
    }
    case "none":
    case "operator":
    case "run":
      throw new Error("a route of this kind has no caller");
    default:
      return never(route.auth);
  }
}

async function enterAsMember(
  ctx: CallerCtx,
  route: Route,
  request: ApiRequest,
  input: RouteInput,
  found: string | Promise<string>,
): Promise<ProjectCtx> {
  const project_id = await found;
  if (ctx.caller.kind === "member") {
    ctx.caller = await asMember(ctx, ctx.caller, project_id);
    request.memberIn = { project_id, scopes: ctx.caller.scopes };
  }
  return enterProject(ctx, route, input, project_id);
}

function enterProject(ctx: CallerCtx, route: Route, input: RouteInput, project_id: string) {
  const asking = requireAccess(ctx, route, project_id);
  if (asking instanceof Promise) return asking.then((access) => withAccess(ctx, route, input, project_id, access));
  return withAccess(ctx, route, input, project_id, asking);
}

/** The context was created for this request: it is extended, not copied again. */
function withAccess(
  ctx: CallerCtx,
  route: Route,
  input: RouteInput,
  project_id: string,
  access: Access | undefined,
): ProjectCtx | Promise<ProjectCtx> {
  const projectCtx = ctx as ProjectCtx;
  projectCtx.project_id = project_id;
  if (access) projectCtx.access = access;
  if (!access || access.isHeld) return projectCtx;
  return requireOpened(projectCtx, route, input.params).then(() => projectCtx);
}

/** Field by field: a spread of so many costs microseconds, at every request. */
function callerContext(ctx: Ctx, { authenticated, origin }: ApiRequest): CallerCtx {
  return {
    config: ctx.config,
    db: ctx.db,
    log: ctx.log,
    metrics: ctx.metrics,
    encryption: ctx.encryption,
    wakeup: ctx.wakeup,
    outgoing: ctx.outgoing,
    keyCache: ctx.keyCache,
    watch: ctx.watch,
    state: ctx.state,
    instance_id: ctx.instance_id,
    caller: authenticated.caller,
    session: authenticated.session,
    origin,
  };
}

/** Every distinct project the request names. They are removed from the input: handlers use `ctx.project_id`. */
function takeProjectNames(request: ApiRequest, input: RouteInput): string[] {
  const inQuery = input.query.project_id;
  const inBody = (input.body as { project_id?: string } | undefined)?.project_id ?? nameTaken(request);
  const inHeader = request.headers["x-project-id"];
  if (inQuery === undefined && inBody === undefined && inHeader === undefined) return NONE;
  const { project_id: _, ...query } = input.query;
  input.query = query;
  const named = [inQuery, inHeader, inBody].filter((name): name is string => typeof name === "string");
  return [...new Set(named)];
}

const NONE: string[] = [];

/**
 * With a key, the project_id in an object sent back to its own path is a read-only field like the others. Elsewhere it
 * selects the project.
 */
function nameTaken({ authenticated, routeOptions, taken }: ApiRequest): string | undefined {
  const { project_id } = taken;
  if (typeof project_id !== "string") return undefined;
  const { route, shown } = routeOptions.config;
  const isNamed = route?.auth.kind === "project" && route.auth.found_by !== undefined;
  const isReadOnly = isNamed && "project_id" in propertiesOf(shown?.response);
  if (isReadOnly && authenticated.caller.kind === "api_key") return undefined;
  delete taken.project_id;
  return project_id;
}

type MemberCaller = Extract<Caller, { kind: "member" }>;

/** A person's role in a project. Without a membership, the project's existence is not revealed. */
async function asMember(ctx: CallerCtx, caller: MemberCaller, project_id: string): Promise<MemberCaller> {
  const member = await findMember(ctx, project_id, caller.subject);
  if (!member) throw notFound("project");
  const { member_id, role_ids } = member;
  const scopes = scopesWithin(member.scopes, caller.key?.scopes ?? null);
  // The name given in the project, not the one in the token: approvals match names.
  return { ...caller, name: member.name ?? caller.subject, project_id, member_id, role_ids, scopes };
}
