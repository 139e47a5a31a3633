import * as oauth from "oauth4webapi";
import type { Ctx } from "../../context.ts";
import { makeOutgoing } from "../../outgoing/guarded-agent.ts";
import { sendRequest } from "../../outgoing/send-request.ts";
import { perService } from "../../service-state.ts";
import type { SignInProvider } from "../../settings/sign-in-settings.ts";
import { SignInFailure } from "./sign-in-failure.ts";

/** What the protocol library needs to talk to a provider. */
export type ProviderClient = {
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  clientAuth: oauth.ClientAuth;
  options: object;
};

const TIMEOUT_MS = 5_000;
const TOLERANCE_SECS = 60;
/** After this a provider's metadata and keys are fetched again. */
const STALE_MS = 10 * 60_000;

const discoveredOf = perService(() => new Map<string, { server: oauth.AuthorizationServer; readAtMs: number }>());

/** Reads the provider's metadata, unless they are known and `reread` is false, and returns its client. */
export async function openProvider(
  ctx: Ctx,
  provider: SignInProvider,
  { reread = false } = {},
): Promise<ProviderClient> {
  const known = reread ? undefined : discoveredOf(ctx).get(provider.id);
  const nowMs = ctx.watch.nowMs();
  const isFresh = known && Math.abs(nowMs - known.readAtMs) < STALE_MS;
  const server = isFresh ? known.server : await discover(provider);
  if (!isFresh) discoveredOf(ctx).set(provider.id, { server, readAtMs: nowMs });
  return {
    server,
    client: {
      client_id: provider.client_id,
      [oauth.clockSkew]: Math.round((nowMs - Date.now()) / 1_000),
      [oauth.clockTolerance]: TOLERANCE_SECS,
    },
    clientAuth: clientAuthOf(server, provider),
    options: optionsOf(provider),
  };
}

async function discover(provider: SignInProvider): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(provider.issuer);
  try {
    const response = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...optionsOf(provider) });
    const server = await oauth.processDiscoveryResponse(issuer, response);
    if (!server.authorization_endpoint || !server.token_endpoint || !server.jwks_uri)
      throw new Error("its metadata lack an endpoint");
    return server;
  } catch (error) {
    if (error instanceof SignInFailure) throw error;
    throw new SignInFailure(
      "unavailable",
      `the discovery of ${provider.id} failed: ${(error as Error).message}`,
      error,
    );
  }
}

/** A client without a secret is public: PKCE alone binds the code to it. */
function clientAuthOf(server: oauth.AuthorizationServer, { client_secret }: SignInProvider): oauth.ClientAuth {
  if (client_secret === undefined) return oauth.None();
  const methods = server.token_endpoint_auth_methods_supported;
  const takesBasic = methods === undefined || methods.includes("client_secret_basic");
  return takesBasic ? oauth.ClientSecretBasic(client_secret) : oauth.ClientSecretPost(client_secret);
}

/** Plain http only if the setting names it, which is refused outside of development. */
function optionsOf({ issuer }: SignInProvider) {
  return { [oauth.customFetch]: fetchFromProvider, [oauth.allowInsecureRequests]: issuer.startsWith("http:") };
}

type FetchOptions = { method: string; headers: Record<string, string>; body?: unknown };

/** The operator configured the provider: a private address is allowed. */
async function fetchFromProvider(url: string, { method, headers, body }: FetchOptions): Promise<Response> {
  const outgoing = makeOutgoing({ privateEndpoints: "allow", connectTimeoutMs: TIMEOUT_MS, maxConnectionsPerHost: 1 });
  try {
    const sent = await sendRequest(outgoing, {
      ...{ url, headers, timeout_ms: TIMEOUT_MS, method: method === "POST" ? "POST" : "GET" },
      ...(body !== undefined && body !== null && { body: String(body) }),
    });
    if (sent.kind === "failed")
      throw new SignInFailure("unavailable", `the provider does not respond: ${sent.message}`);
    // Requests beyond the provider's limit say nothing about the person either.
    if (sent.status >= 500 || sent.status === 429)
      throw new SignInFailure("unavailable", `the provider returned ${sent.status}`);
    const type = sent.headers["content-type"] ?? "";
    const hasBody = sent.status !== 204 && sent.status !== 304;
    return new Response(hasBody ? new Uint8Array(sent.body) : null, {
      status: sent.status,
      headers: { "content-type": type },
    });
  } finally {
    await outgoing.destroy();
  }
}
