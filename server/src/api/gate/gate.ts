import { holdsScope, type Scope } from "@millrace/contract/access/scopes";
import { isWellFormedKey } from "../../platform/access/credentials/key-format.ts";
import { tokenLimitsOf } from "../../platform/access/credentials/token-limits.ts";
import type { Caller, Ctx, RunClaims } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { findBadText } from "../../platform/json/find-bad-text.ts";
import type { Route } from "../../platform/route.ts";
import { perService } from "../../platform/service-state.ts";
import type { ApiReply, ApiRequest } from "../http-messages.ts";
import { baseUrl } from "../response/schema-link.ts";
import { type Authenticated, authenticate, authenticateRun, isInternal } from "./authenticate.ts";
import { isOnThisMachine } from "./client-address.ts";
import { type Credential, readCredential } from "./credential.ts";
import { openFailureBackoff } from "./failure-backoff.ts";
import { requireScope } from "./find-project.ts";
import { type OwnLimits, openKeyLimits } from "./key-limits.ts";
import { isOpenedByPolicy } from "./policy-routes.ts";
import { allowanceHeaders, type LimitName, openRateLimit, type Requester } from "./rate-limit.ts";
import { isOpenToTokens } from "./token-routes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set instead of `authenticated` on the SDK routes of a run. */
    run: RunClaims;
  }
}

export type Gate = {
  /** Throws or rejects unless the request may continue. Most requests have a cached key, and need no promise. */
  admit: (route: Route, request: ApiRequest, reply: ApiReply) => void | Promise<void>;
};

const rateLimitOf = perService(openRateLimit);
const keyLimitsOf = perService(openKeyLimits);
const backoffOf = perService(openFailureBackoff);

/** Runs before every route, before the body is read: text checks, limits, authentication and scope. */
export function openGate(ctx: Ctx): Gate {
  function admit(route: Route, request: ApiRequest, reply: ApiReply): void | Promise<void> {
    refuseBadText(request);
    if (route.streams) tokenToHeader(request);
    const credential = readCredential(request.headers);
    const internal = isInternal(ctx, credential);
    // Junk is rejected before it costs a statement, including that of the limits.
    if (isJunk(route, credential)) return identify(route, credential, request);
    const counting = internal ? undefined : countAgainstLimits(route, credential, request, reply);
    return counting
      ? counting.then(() => admitCounted(route, credential, request))
      : admitCounted(route, credential, request);
  }

  function admitCounted(route: Route, credential: Credential, request: ApiRequest): void | Promise<void> {
    if (route.auth.kind === "none") return admitPublic(route, credential, request);
    if (route.auth.kind === "operator") return admitOperator(ctx, isInternal(ctx, credential), request);
    const identifying = identify(route, credential, request);
    return identifying
      ? identifying.then(() => admitCaller(route, credential, request))
      : admitCaller(route, credential, request);
  }

  function admitPublic(route: Route, credential: Credential, request: ApiRequest): void | Promise<void> {
    try {
      route.authenticate?.(ctx, request.params as Record<string, string>, request.headers);
    } catch (error) {
      return refuseCredential(credential, request, error);
    }
  }

  function admitCaller(route: Route, credential: Credential, request: ApiRequest): void | Promise<void> {
    if (route.auth.kind === "run") return;
    if (credential.kind === "session") refuseOtherSites(ctx, request);
    return refuseUnscoped(ctx, route, request.authenticated);
  }

  /** Authentication: a caller with a cached key needs no await. */
  function identify(route: Route, credential: Credential, request: ApiRequest): Promise<void> | undefined {
    try {
      if (route.auth.kind === "run") {
        request.run = authenticateRun(ctx, credential, (request.params as { runID?: string }).runID);
        return undefined;
      }
      const found = authenticate(ctx, credential);
      if (found instanceof Promise) return identifyLater(found, credential, request);
      request.authenticated = found;
      return undefined;
    } catch (error) {
      return refuseCredential(credential, request, error);
    }
  }

  async function identifyLater(found: Promise<Authenticated>, credential: Credential, request: ApiRequest) {
    try {
      request.authenticated = await ctx.watch.guard(found);
    } catch (error) {
      await refuseCredential(credential, request, error);
    }
  }

  /**
   * Throttles failed authentications per address. A request without a credential is not a guess, and is refused at
   * once.
   */
  async function refuseCredential({ kind }: Credential, { ip }: ApiRequest, error: unknown): Promise<never> {
    if (kind === "none") throw error;
    return backoffOf(ctx).refuse(ip, error);
  }

  /** Undefined: no limits. */
  function countAgainstLimits(route: Route, credential: Credential, request: ApiRequest, reply: ApiReply) {
    if (!route.path.startsWith("/v1/")) return undefined;
    const general = credential.kind === "session" ? "session" : "api";
    const names: LimitName[] = route.limit ? [general, route.limit] : [general];
    const own = ownLimitsOf(names, credential, request);
    if (own instanceof Promise) return ctx.watch.guard(own).then((found) => countNames(names, found, request, reply));
    return countNames(names, own, request, reply);
  }

  /** The limits of the key that a request carries, which replace those of its address. */
  function ownLimitsOf(names: LimitName[], credential: Credential, { ip }: ApiRequest) {
    if (credential.kind !== "api_key" || !isWellFormedKey(credential.key)) return undefined;
    const isRefused = names.some((name) => rateLimitOf(ctx).isRefused(name, ip));
    return keyLimitsOf(ctx).find(credential.key, { isRefused, isGuessing: backoffOf(ctx).isClosed(ip) });
  }

  function countNames(names: LimitName[], own: OwnLimits | undefined, request: ApiRequest, reply: ApiReply) {
    const limited = names.filter((name) => rateLimitOf(ctx).isLimited(name, own));
    return limited.length > 0 ? countEach(limited, { ip: request.ip, own }, reply) : undefined;
  }

  async function countEach(names: LimitName[], requester: Requester, reply: ApiReply): Promise<void> {
    for (const name of names) {
      reply.headers(allowanceHeaders(await ctx.watch.guard(rateLimitOf(ctx).countOrRefuse(name, requester))));
    }
  }

  return { admit };
}

/** A malformed key, where a caller is required. */
function isJunk({ auth }: Route, credential: Credential): boolean {
  const needsCaller = auth.kind === "caller" || auth.kind === "project" || auth.kind === "internal";
  return needsCaller && credential.kind === "api_key" && !isWellFormedKey(credential.key);
}

function refuseBadText(request: ApiRequest): void {
  refuseBadPart("path", request.params as Record<string, unknown>);
  refuseBadPart("query", request.query as Record<string, unknown>);
}

function refuseBadPart(part: string, values: Record<string, unknown>): void {
  for (const name in values) {
    const value = values[name];
    const message = findBadText(name) ?? (typeof value === "string" ? findBadText(value) : undefined);
    if (message === undefined) continue;
    throw new ApiError("invalid_text", `${part}.${name}: ${message}`, {
      errors: [{ location: `${part}.${name}`, message, value: null }],
    });
  }
}

/** For EventSource, which cannot set headers. A header always wins; the token is removed from the query. */
function tokenToHeader(request: ApiRequest): void {
  const query = request.query as Record<string, unknown>;
  const { token } = query;
  delete query.token;
  const { headers } = request;
  if (headers.authorization !== undefined || headers["x-internal-secret"] !== undefined) return;
  if (typeof token === "string") headers.authorization = `Bearer ${token}`;
}

function admitOperator(ctx: Ctx, internal: boolean, request: ApiRequest): void {
  if (internal) return;
  const isTrusted = ctx.config.mode === "dev" && isOnThisMachine(ctx.config, request);
  if (!isTrusted) throw new ApiError("unauthorized", "This needs the internal secret.");
  // A page of another site, opened in a browser on this machine, sends from this address too.
  refuseOtherSites(ctx, request);
}

/** A request from another site's page carries our cookie, or comes from this machine: it must change nothing. */
function refuseOtherSites(ctx: Ctx, request: ApiRequest): void {
  if (request.method === "GET" || request.method === "HEAD" || isOwnOrigin(ctx, request)) return;
  throw new ApiError("cross_site_request", "Cross-site requests may not change anything.");
}

function refuseUnscoped(ctx: Ctx, route: Route, { caller }: Authenticated): void | Promise<void> {
  const { auth } = route;
  if (tokenLimitsOf(caller) && !isOpenToTokens(route))
    throw new ApiError("forbidden", "A scoped token may not call this route.");
  if (auth.kind === "internal" && caller.kind !== "internal_secret") {
    throw new ApiError("forbidden", "This needs the internal secret.");
  }
  if (auth.kind !== "caller" && auth.kind !== "project") return;
  // A member's rights depend on the project, which the body may name. Outside of a project, members may only read.
  if (caller.kind === "member" && (auth.kind === "project" || route.method === "GET")) return;
  if (auth.scope === undefined || holdsScope(caller.scopes, auth.scope)) return;
  return refuseUnopened(ctx, route, caller, auth.scope);
}

/** Without the scope, a policy may open the route to a key. */
async function refuseUnopened(ctx: Ctx, route: Route, caller: Caller, scope: Scope): Promise<void> {
  if (caller.kind === "api_key" && (await isOpenedByPolicy(ctx, route, caller))) return;
  requireScope(caller, scope);
}

/**
 * Whether this service's own page sent the request. Browsers always send one of these headers; other clients send
 * neither.
 */
function isOwnOrigin(ctx: Ctx, request: ApiRequest): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = request.headers;
  return origin === undefined || origin === baseUrl(ctx, request);
}
