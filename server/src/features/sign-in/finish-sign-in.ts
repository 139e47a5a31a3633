import { readCookie, sessionCookie } from "../../platform/access/credentials/session-cookie.ts";
import { startPersonSession } from "../../platform/access/credentials/session-store.ts";
import { applyRules } from "../../platform/access/sign-in/apply-rules.ts";
import { exchangeCode } from "../../platform/access/sign-in/exchange-code.ts";
import { SignInFailure } from "../../platform/access/sign-in/sign-in-failure.ts";
import type { Ctx, RequestOrigin } from "../../platform/context.ts";
import type { RouteReply } from "../../platform/route.ts";
import type { SignInProvider } from "../../platform/settings/sign-in-settings.ts";
import { attemptCookie, attemptCookieName, findProvider, redirectUri, takeAttempt } from "./attempts.ts";
import { failurePage } from "./failure-page.ts";

type PublicCtx = Ctx & { origin: RequestOrigin };
type Answer = { id: string; query: Record<string, string>; cookie: string | undefined };

/** Checks the provider's answer and starts a session, or shows why there is none. */
export async function finishSignIn(ctx: PublicCtx, answer: Answer, reply: RouteReply): Promise<string> {
  const provider = findProvider(ctx, answer.id);
  reply.header("set-cookie", attemptCookie(ctx, answer.query.state ?? "", undefined));
  try {
    const { return_to, token, expires_at } = await signIn(ctx, provider, answer);
    reply.header("set-cookie", sessionCookie(ctx, token, expires_at));
    reply.header("location", return_to);
    return "";
  } catch (error) {
    if (error instanceof SignInFailure) return failurePage(ctx, provider, error, reply);
    throw error;
  }
}

async function signIn(ctx: PublicCtx, provider: SignInProvider, { id, query, cookie }: Answer) {
  const { state = "" } = query;
  const secret = readCookie(cookie, attemptCookieName(state)) ?? "";
  const attempt = await takeAttempt(ctx, { state, secret, provider: id });
  if (!attempt) throw new SignInFailure("wrong_state", "no sign-in of this browser has this state");
  const redirect_uri = redirectUri(ctx.origin, id);
  const callback_url = new URL(redirect_uri);
  for (const [name, value] of Object.entries(query)) callback_url.searchParams.set(name, value);
  const { return_to, nonce, code_verifier } = attempt;
  const identified = await exchangeCode(ctx, provider, { callback_url, redirect_uri, state, nonce, code_verifier });
  const { person, refresh_token } = identified;
  if ((await applyRules(ctx, person)) === 0) throw new SignInFailure("no_access", person.subject);
  return { return_to, ...(await startPersonSession(ctx, { person, refresh_token, origin: ctx.origin })) };
}
