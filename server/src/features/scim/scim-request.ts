import { createHash, timingSafeEqual } from "node:crypto";
import type { Ctx, RequestOrigin } from "../../platform/context.ts";
import { ApiError, notFound } from "../../platform/errors/errors.ts";
import type { SignedRequest } from "../../platform/route.ts";
import type { SignInProvider } from "../../platform/settings/sign-in-settings.ts";

type ResourceType = "Users" | "Groups" | "ServiceProviderConfig" | "Schemas" | "ResourceTypes";
/** An authenticated request of a provider. */
export type Scim = { ctx: Ctx; provider: SignInProvider; resource: ResourceType; base: string };

/** A user or group as it is shown. */
export type Presented = Record<string, unknown> & { meta: { location: string } };

const RESOURCES: readonly string[] = ["Users", "Groups", "ServiceProviderConfig", "Schemas", "ResourceTypes"];

/** Each provider has a token of its own. A provider without one has no provisioning. */
export function authenticateProvider(
  { config }: Ctx,
  params: Readonly<Record<string, string>>,
  headers: SignedRequest["headers"],
): void {
  const provider = config.sign_in.providers.find(({ id }) => id === params.provider);
  if (!provider?.scim_token) throw notFound("provider with SIGN_IN_<NAME>_SCIM_TOKEN");
  const [, token = ""] = /^Bearer (\S+)$/i.exec(String(headers.authorization ?? "")) ?? [];
  if (!isSame(token, provider.scim_token))
    throw new ApiError("unauthorized", "The bearer token is not the SCIM token of this provider.");
}

/** What a request of an authenticated provider is about. */
export function openScim(ctx: Ctx & { origin: RequestOrigin }, params: { provider: string; resource: string }): Scim {
  const provider = ctx.config.sign_in.providers.find(({ id }) => id === params.provider);
  if (!provider) throw notFound("provider");
  if (!RESOURCES.includes(params.resource)) throw notFound("resource: there are Users and Groups");
  const base = `${ctx.origin.base_url}/scim/v2/${provider.id}`;
  return { ctx, provider, resource: params.resource as ResourceType, base };
}

function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

export function readBody(signed: SignedRequest | undefined): Record<string, unknown> {
  // It was parsed once, strictly, before the route was called.
  const body: unknown = signed?.body.length ? JSON.parse(signed.body.toString()) : undefined;
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new ApiError("bad_request", "The body must be an object.");
  return body as Record<string, unknown>;
}
