import type { JWTPayload } from "jose";
import * as oauth from "oauth4webapi";
import type { Ctx } from "../../context.ts";
import { ApiError } from "../../errors/errors.ts";
import type { SignInProvider } from "../../settings/sign-in-settings.ts";
import { readClaims } from "../credentials/oidc-claims.ts";
import { foldEmail } from "../email-address.ts";
import { openProvider, type ProviderClient } from "./provider-client.ts";
import { SignInFailure } from "./sign-in-failure.ts";
import { subjectOf } from "./subjects.ts";

/** A person as a provider describes them. */
export type Person = {
  provider: string;
  subject: string;
  name: string;
  /** Null: none, or the provider has not verified it. */
  email: string | null;
  groups: string[];
};

export type Identified = { person: Person; refresh_token: string | undefined };

type Attempt = { callback_url: URL; redirect_uri: string; state: string; nonce: string; code_verifier: string };

const MAX_GROUPS = 1_000;
/** Temporary errors of a token endpoint. */
const PASSING = ["temporarily_unavailable", "server_error", "slow_down"];
const NO_ANSWER: string[] = [oauth.RESPONSE_IS_NOT_JSON, oauth.RESPONSE_IS_NOT_CONFORM];

/** Exchanges the code in a provider's answer for the person's identity, or throws why it cannot be trusted. */
export async function exchangeCode(ctx: Ctx, provider: SignInProvider, attempt: Attempt): Promise<Identified> {
  const opened = await openProvider(ctx, provider);
  const { server, client, clientAuth, options } = opened;
  return explained(async () => {
    const parameters = oauth.validateAuthResponse(server, client, attempt.callback_url, attempt.state);
    const { redirect_uri, nonce, code_verifier } = attempt;
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, clientAuth, parameters, redirect_uri, code_verifier, options] as const),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await checkSignature(ctx, provider, opened, response);
    const claims = await claimsOf(opened, provider, tokens);
    if (!claims) throw new SignInFailure("wrong_answer", "the provider's answer has no claims");
    return { person: personOf(ctx, provider, claims), refresh_token: tokens.refresh_token };
  });
}

/**
 * Asks the provider again who the person is. `person` is undefined if it confirms the grant without any claims. Throws
 * `unavailable` if it does not respond, and another failure once it has withdrawn the grant.
 */
export async function refreshPerson(
  ctx: Ctx,
  provider: SignInProvider,
  { subject, refresh_token }: { subject: string; refresh_token: string },
): Promise<{ person: Person | undefined; refresh_token: string }> {
  const opened = await openProvider(ctx, provider);
  const { server, client, clientAuth, options } = opened;
  return explained(async () => {
    const response = await oauth.refreshTokenGrantRequest(server, client, clientAuth, refresh_token, options);
    const tokens = await oauth.processRefreshTokenResponse(server, client, response);
    if (tokens.id_token !== undefined) await checkSignature(ctx, provider, opened, response);
    const claims = await claimsOf(opened, provider, tokens);
    const person = claims && personOf(ctx, provider, claims);
    if (person && person.subject !== subject)
      throw new SignInFailure("wrong_answer", "the provider named another person");
    return { person, refresh_token: tokens.refresh_token ?? refresh_token };
  });
}

/** Fetches the keys again if no known key fits: the provider may have rotated them. */
async function checkSignature(
  ctx: Ctx,
  provider: SignInProvider,
  { server, options }: ProviderClient,
  response: Response,
): Promise<void> {
  try {
    await oauth.validateApplicationLevelSignature(server, response, options);
  } catch (error) {
    if (!isOfLibrary(error)) throw error;
    const reread = await openProvider(ctx, provider, { reread: true });
    await oauth.validateApplicationLevelSignature(reread.server, response, reread.options);
  }
}

/**
 * Of the ID token; if that lacks the groups or the address, also of the userinfo endpoint: many providers list them only
 * there (OpenID Connect Core, 5.4).
 */
async function claimsOf(
  { server, client, options }: ProviderClient,
  { groups_claim }: SignInProvider,
  tokens: oauth.TokenEndpointResponse,
): Promise<JWTPayload | undefined> {
  const claims: JWTPayload | undefined = oauth.getValidatedIdTokenClaims(tokens) as JWTPayload | undefined;
  const isWhole = claims?.[groups_claim] !== undefined && claims.email !== undefined;
  if (isWhole || !server.userinfo_endpoint) return claims;
  const response = await oauth.userInfoRequest(server, client, tokens.access_token, options);
  // Without an ID token, as some providers answer a refresh, the caller compares the subject.
  const expected = claims?.sub ?? oauth.skipSubjectCheck;
  const more = await oauth.processUserInfoResponse(server, client, expected, response);
  return { ...(more as JWTPayload), ...claims };
}

function personOf(ctx: Ctx, provider: SignInProvider, claims: JWTPayload): Person {
  const { subject, name, email } = readClaims(claims, Number.POSITIVE_INFINITY);
  const isVerified = claims.email_verified === true || claims.email_verified === "true" || provider.trusts_email;
  return {
    ...{ provider: provider.id, name, email: isVerified && email !== null ? foldEmail(email) : null },
    subject: subjectOf(ctx.config, provider, subject),
    groups: groupsIn(claims[provider.groups_claim]),
  };
}

function groupsIn(claim: unknown): string[] {
  return [claim]
    .flat()
    .slice(0, MAX_GROUPS)
    .filter((group): group is string => typeof group === "string");
}

/** The library's errors are for the log; they say what was wrong, and may repeat what the provider sent. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SignInFailure) throw error;
    if (error instanceof oauth.AuthorizationResponseError)
      throw new SignInFailure(
        error.error === "access_denied" ? "denied" : "wrong_answer",
        "the provider refused",
        error,
      );
    if (error instanceof oauth.ResponseBodyError) {
      const kind = PASSING.includes(error.error) ? "unavailable" : "wrong_answer";
      throw new SignInFailure(kind, `the provider refused: ${error.error}`, error);
    }
    if (isNoAnswer(error)) throw new SignInFailure("unavailable", (error as Error).message, error);
    if (error instanceof ApiError || isOfLibrary(error))
      throw new SignInFailure("wrong_answer", (error as Error).message, error);
    throw error;
  }
}

/** A response of an intermediary, such as a proxy or a firewall, says nothing about the person. */
function isNoAnswer(error: unknown): boolean {
  return error instanceof oauth.OperationProcessingError && NO_ANSWER.includes(error.code ?? "");
}

function isOfLibrary(error: unknown): boolean {
  return (
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.UnsupportedOperationError ||
    error instanceof oauth.WWWAuthenticateChallengeError ||
    (error instanceof TypeError && "code" in error) ||
    (error as Error).name === "DataError"
  );
}
