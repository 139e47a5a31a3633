import { holdsScope, type Scope } from "@millrace/contract/access/scopes";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isWellFormedKey } from "../../platform/access/credentials/key-format.ts";
import { limitsOf } from "../../platform/access/credentials/token-limits.ts";
import type { Caller, Ctx, RunClaims } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { findBadText } from "../../platform/json/find-bad-text.ts";
import type { Route } from "../../platform/route.ts";
import { perService } from "../../platform/service-state.ts";
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
  admit: (row: Route, request: FastifyRequest, reply: FastifyReply) => void | Promise<void>;
};

const rateLimitOf = perService(openRateLimit);
const keyLimitsOf = perService(openKeyLimits);
const backoffOf = perService(openFailureBackoff);

/** Runs before every route, before the body is read: text checks, limits, authentication and scope. */
export function openGate(ctx: Ctx): Gate {
  function admit(row: Route, request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    refuseBadText(request);
    if (row.streams) tokenToHeader(request);
    const credential = readCredential(request.headers);
    const internal = isInternal(ctx, credential);
    // Junk is rejected before it costs a statement, including that of the limits.
    if (isJunk(row, credential)) return identify(row, credential, request);
    const counting = internal ? undefined : countAgainstLimits(row, credential, request, reply);
    return counting
      ? counting.then(() => admitCounted(row, credential, request))
      : admitCounted(row, credential, request);
  }

  function admitCounted(row: Route, credential: Credential, request: FastifyRequest): void | Promise<void> {
    if (row.auth.kind === "none") return;
    if (row.auth.kind === "operator") return admitOperator(ctx, isInternal(ctx, credential), request);
    const identifying = identify(row, credential, request);
    return identifying
      ? identifying.then(() => admitCaller(row, credential, request))
      : admitCaller(row, credential, request);
  }

  function admitCaller(row: Route, credential: Credential, request: FastifyRequest): void | Promise<void> {
    if (row.auth.kind === "run") return;
    if (credential.kind === "session") refuseOtherSites(ctx, request);
    return refuseUnscoped(ctx, row, request.authenticated);
  }

  /** Authentication: a caller with a cached key needs no await. */
  function identify(row: Route, credential: Credential, request: FastifyRequest): Promise<void> | undefined {
    try {
      if (row.auth.kind === "run") {
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

  async function identifyLater(found: Promise<Authenticated>, credential: Credential, request: FastifyRequest) {
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
  async function refuseCredential({ kind }: Credential, { ip }: FastifyRequest, error: unknown): Promise<never> {
    if (kind === "none") throw error;
    return backoffOf(ctx).refuse(ip, error);
  }

  /** Undefined: no limits. */
  function countAgainstLimits(row: Route, credential: Credential, request: FastifyRequest, reply: FastifyReply) {
    if (!row.path.startsWith("/v1/")) return undefined;
    const general = credential.kind === "session" ? "session" : "api";
    const names: LimitName[] = row.limit ? [general, row.limit] : [general];
    const own = ownLimitsOf(names, credential, request);
    if (own instanceof Promise) return ctx.watch.guard(own).then((found) => countNames(names, found, request, reply));
    return countNames(names, own, request, reply);
  }

  /** The limits of the key that a request carries, which replace those of its address. */
  function ownLimitsOf(names: LimitName[], credential: Credential, { ip }: FastifyRequest) {
    if (credential.kind !== "api_key" || !isWellFormedKey(credential.key)) return undefined;
    const isRefused = names.some((name) => rateLimitOf(ctx).isRefused(name, ip));
    return keyLimitsOf(ctx).find(credential.key, { isRefused, isGuessing: backoffOf(ctx).isClosed(ip) });
  }

  function countNames(names: LimitName[], own: OwnLimits | undefined, request: FastifyRequest, reply: FastifyReply) {
    const limited = names.filter((name) => rateLimitOf(ctx).isLimited(name, own));
    return limited.length > 0 ? countEach(limited, { ip: request.ip, own }, reply) : undefined;
  }

  async function countEach(names: LimitName[], requester: Requester, reply: FastifyReply): Promise<void> {
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

function refuseBadText(request: FastifyRequest): void {
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
function tokenToHeader(request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>;
  const { token } = query;
  delete query.token;
  const { headers } = request;
  if (headers.authorization !== undefined || headers["x-internal-secret"] !== undefined) return;
  if (typeof token === "string") headers.authorization = `Bearer ${token}`;
}

function admitOperator(ctx: Ctx, internal: boolean, request: FastifyRequest): void {
  if (internal) return;
  const isTrusted = ctx.config.mode === "dev" && isOnThisMachine(ctx.config, request);
  if (!isTrusted) throw new ApiError("unauthorized", "This needs the internal secret.");
  // A page of another site, opened in a browser on this machine, sends from this address too.
  refuseOtherSites(ctx, request);
}

/** A request from another site's page carries our cookie, or comes from this machine: it must change nothing. */
function refuseOtherSites(ctx: Ctx, request: FastifyRequest): void {
  if (request.method === "GET" || request.method === "HEAD" || isOwnOrigin(ctx, request)) return;
  throw new ApiError("cross_site_request", "Cross-site requests may not change anything.");
}

function refuseUnscoped(ctx: Ctx, row: Route, { caller }: Authenticated): void | Promise<void> {
  const { auth } = row;
  if (limitsOf(caller) && !isOpenToTokens(row))
    throw new ApiError("forbidden", "A scoped token may not call this route.");
  if (auth.kind === "internal" && caller.kind !== "internal_secret") {
    throw new ApiError("forbidden", "This needs the internal secret.");
  }
  if (auth.kind !== "caller" && auth.kind !== "project") return;
  // A member's rights depend on the project, which the body may name. Outside of a project, members may only read.
  if (caller.kind === "member" && (auth.kind === "project" || row.method === "GET")) return;
  if (auth.scope === undefined || holdsScope(caller.scopes, auth.scope)) return;
  return refuseUnopened(ctx, row, caller, auth.scope);
}

/** Without the scope, a policy may open the route to a key. */
async function refuseUnopened(ctx: Ctx, row: Route, caller: Caller, scope: Scope): Promise<void> {
  if (caller.kind === "api_key" && (await isOpenedByPolicy(ctx, row, caller))) return;
  requireScope(caller, scope);
}

/**
 * Whether this service's own page sent the request. Browsers always send one of these headers; other clients send
 * neither.
 */
function isOwnOrigin(ctx: Ctx, request: FastifyRequest): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const { origin } = request.headers;
  return origin === undefined || origin === baseUrl(ctx, request);
}
