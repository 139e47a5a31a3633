import type { FailureKind, SignInFailure } from "../../platform/access/sign-in/sign-in-failure.ts";
import type { Ctx } from "../../platform/context.ts";
import { PAGE_POLICY } from "../../platform/http/page-policy.ts";
import type { RouteReply } from "../../platform/route.ts";
import type { SignInProvider } from "../../platform/settings/sign-in-settings.ts";

type Words = { status: number; title: string; text: (provider: string, message: string) => string };

/** Never the provider's own text: anyone can put words into the address of this page. */
const WORDS: Record<FailureKind, Words> = {
  denied: {
    status: 403,
    title: "Sign-in was canceled",
    text: (provider) => `${provider} reports that you, or an administrator, refused the sign-in.`,
  },
  wrong_state: {
    status: 400,
    title: "This sign-in is over",
    text: () =>
      "It was completed before, took longer than ten minutes, or began in another browser. Start again from here.",
  },
  wrong_answer: {
    status: 400,
    title: "Sign-in failed",
    text: (provider) =>
      `The answer of ${provider} could not be verified. Try again; if it happens again, the service's log has the reason.`,
  },
  unavailable: {
    status: 503,
    title: "The identity provider does not respond",
    text: (provider) => `${provider} could not be reached. Try again in a minute.`,
  },
  no_access: {
    status: 403,
    title: "You have no access yet",
    text: (provider, subject) =>
      `You are signed in at ${provider}, but no project has you as a member. Ask an administrator to add the subject ${subject}.`,
  },
};

export function failurePage(ctx: Ctx, provider: SignInProvider, failure: SignInFailure, reply: RouteReply): string {
  const { status, title, text } = WORDS[failure.kind];
  ctx.log.info({ provider: provider.id, kind: failure.kind, reason: failure.message }, "a sign-in failed");
  reply.status(status);
  reply.header("content-security-policy", PAGE_POLICY);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · Millrace</title>
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/docs/css/tokens.css" />
  </head>
  <body>
    <main class="note">
      <h1>${title}</h1>
      <p>${escapeHtml(text(provider.name, failure.message))}</p>
      <p><a href="/">Back to sign-in</a></p>
    </main>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
