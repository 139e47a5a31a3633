import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from "jose";
import type { Ctx } from "../../context.ts";
import { ApiError, unavailable } from "../../errors/errors.ts";
import { makeOutgoing, type Outgoing } from "../../outgoing/guarded-agent.ts";
import { sendRequest } from "../../outgoing/send-request.ts";
import { perService } from "../../service-state.ts";
import { type OidcSubject, readClaims } from "./oidc-claims.ts";

/** Asymmetric only: anyone could sign with the public key as an HMAC secret, and `none` needs no signature. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"];
const TOLERANCE_SECS = 60;
/** After this the keys are fetched again; the cached ones stay valid meanwhile. */
const STALE_MS = 10 * 60_000;
/** A token with an unknown key triggers a fetch of new keys, but not more often than this. */
const RETRY_AFTER_MS = 30_000;
const TIMEOUT_MS = 5_000;

/** Returns the identity in an OIDC token, or throws a 401 with the reason. */
export async function readOidcToken(ctx: Ctx, token: string): Promise<OidcSubject> {
  const { oidc } = ctx.config;
  if (!oidc) throw new ApiError("unauthorized", "OIDC tokens are not accepted: this service has no OIDC_ISSUER.");
  const issuer = issuerOf(ctx);
  try {
    return await verify(ctx, token, await issuer.keys());
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw asUnauthorized(error);
  }
  // The issuer may have rotated its keys since the last fetch.
  try {
    return await verify(ctx, token, await issuer.newKeys());
  } catch (error) {
    throw asUnauthorized(error);
  }
}

async function verify(ctx: Ctx, token: string, keys: JSONWebKeySet): Promise<OidcSubject> {
  const { issuer = "", audience = "" } = ctx.config.oidc ?? {};
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    clockTolerance: TOLERANCE_SECS,
    requiredClaims: ["sub", "exp", "iat"],
    currentDate: new Date(ctx.watch.nowMs()),
  });
  return readClaims(payload, ctx.watch.nowMs() / 1_000 + TOLERANCE_SECS);
}

/** Our own messages: the library's would repeat parts of the token. */
function asUnauthorized(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return new ApiError("unauthorized", "The OIDC token has expired.");
  if (error instanceof errors.JWTClaimValidationFailed)
    return new ApiError(
      "unauthorized",
      `The OIDC token is not for this service: its claim ${error.claim} has an unexpected value.`,
    );
  if (error instanceof errors.JOSEAlgNotAllowed)
    return new ApiError("unauthorized", `The OIDC token is not signed with one of ${ALGORITHMS.join(", ")}.`);
  if (error instanceof errors.JOSEError)
    return new ApiError("unauthorized", "The OIDC token is not signed by the configured issuer, or is malformed.");
  return error;
}

/** Cached metadata and keys of the issuer. One per service; concurrent callers share one request. */
const issuerOf = perService((ctx: Ctx) => {
  const nowMs = () => ctx.watch.nowMs();
  let known: JSONWebKeySet | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<JSONWebKeySet> | undefined;

  function read(): Promise<JSONWebKeySet> {
    triedAt = nowMs();
    reading ??= readKeys(ctx.config.oidc?.issuer ?? "")
      .then((keys) => {
        [known, readAt] = [keys, nowMs()];
        return keys;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  async function keys(): Promise<JSONWebKeySet> {
    if (!known) return read();
    const isStale = nowMs() - readAt > STALE_MS && nowMs() - triedAt > RETRY_AFTER_MS;
    if (isStale) read().catch((error) => ctx.log.warn({ reason: error.message }, "the OIDC issuer does not respond"));
    return known;
  }

  async function newKeys(): Promise<JSONWebKeySet> {
    if (known && nowMs() - triedAt < RETRY_AFTER_MS) return known;
    return read().catch((error) => {
      if (known) return known;
      throw error;
    });
  }

  return { keys, newKeys };
});

async function readKeys(issuer: string): Promise<JSONWebKeySet> {
  // The operator configured the issuer: a private address is allowed.
  const outgoing = makeOutgoing({ privateEndpoints: "allow", connectTimeoutMs: TIMEOUT_MS, maxConnectionsPerHost: 2 });
  try {
    const found = await getJson(outgoing, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    if (found.issuer !== issuer)
      throw unavailable("The issuer in the OIDC discovery document differs from OIDC_ISSUER.");
    const set = await getJson(outgoing, String(found.jwks_uri));
    if (!Array.isArray(set.keys)) throw unavailable("The OIDC issuer has no keys.");
    return set as unknown as JSONWebKeySet;
  } finally {
    await outgoing.destroy();
  }
}

async function getJson(outgoing: Outgoing, url: string): Promise<Record<string, unknown>> {
  const request = { method: "GET", url, headers: { accept: "application/json" }, timeout_ms: TIMEOUT_MS } as const;
  const sent = await sendRequest(outgoing, request);
  if (sent.kind === "failed") throw unavailable(`The OIDC issuer does not respond: ${sent.message}`);
  if (sent.status !== 200) throw unavailable(`The OIDC issuer returned ${sent.status}.`);
  try {
    return JSON.parse(sent.body.toString("utf8")) as Record<string, unknown>;
  } catch {
    throw unavailable("The OIDC issuer did not return JSON.");
  }
}
