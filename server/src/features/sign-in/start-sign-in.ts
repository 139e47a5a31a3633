import type { StartSignInQuery } from "@millrace/contract/access/sign-in";
import { calculatePKCECodeChallenge } from "oauth4webapi";
import { openProvider } from "../../platform/access/sign-in/provider-client.ts";
import { SignInFailure } from "../../platform/access/sign-in/sign-in-failure.ts";
import type { Ctx, RequestOrigin } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import type { RouteReply } from "../../platform/route.ts";
import { attemptCookie, findProvider, redirectUri, startAttempt } from "./attempts.ts";
import { failurePage } from "./failure-page.ts";

/** Sends the browser to the provider: authorization code flow with PKCE. */
export async function startSignIn(
  ctx: Ctx & { origin: RequestOrigin },
  id: string,
  { return_to = "/" }: StartSignInQuery,
  reply: RouteReply,
): Promise<string> {
  const provider = findProvider(ctx, id);
  if (!isOwnPath(return_to)) throw invalid("query.return_to", "must be the path of a page, such as /runs", return_to);
  try {
    const { server } = await openProvider(ctx, provider);
    const { state, secret, nonce, code_verifier } = await startAttempt(ctx, id, return_to);
    const url = new URL(server.authorization_endpoint ?? "");
    const parameters = {
      ...{ response_type: "code", client_id: provider.client_id, redirect_uri: redirectUri(ctx.origin, id) },
      ...{ scope: scopesFor(provider.scopes, server.scopes_supported), state, nonce },
      ...{ code_challenge: await calculatePKCECodeChallenge(code_verifier), code_challenge_method: "S256" },
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    reply.header("set-cookie", attemptCookie(ctx, state, secret));
    reply.header("location", url.href);
    return "";
  } catch (error) {
    if (error instanceof SignInFailure) return failurePage(ctx, provider, error, reply);
    throw error;
  }
}

/** Some providers refuse a scope that they do not offer. */
function scopesFor(scopes: string, supported: string[] | undefined): string {
  const isOffered = (scope: string) => scope !== "offline_access" || !supported || supported.includes(scope);
  return scopes.split(" ").filter(isOffered).join(" ");
}

/** A path of this origin, however a browser reads it: `//host` and `/\host` lead elsewhere, as may `/..//host`. */
export function isOwnPath(path: string): boolean {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || path.includes("\\") || path.startsWith("/v1/")) return false;
  const url = URL.canParse(path, ORIGIN) ? new URL(path, ORIGIN) : undefined;
  return url?.origin === ORIGIN && !url.pathname.startsWith("//");
}
const ORIGIN = "http://here.invalid";
