import { SignInCallbackQuery, SignInOptions, StartSignInQuery } from "@millrace/contract/access/sign-in";
import type { Ctx, RequestOrigin } from "../../platform/context.ts";
import { publicRoute, type Route } from "../../platform/route.ts";
import { finishSignIn } from "./finish-sign-in.ts";
import { startSignIn } from "./start-sign-in.ts";

const HTML = "text/html; charset=utf-8";

export const signInRoutes: Route[] = [
  publicRoute("GET /v1/sign-in", {
    summary: "List the ways to sign in",
    response: SignInOptions,
    run: async (ctx) => optionsOf(ctx),
  }),
  publicRoute("GET /v1/sign-in/{provider}", {
    summary: "Send the browser to an identity provider",
    limit: "sign_in",
    query: StartSignInQuery,
    produces: HTML,
    status: 302,
    errors: ["not_found"],
    run: (ctx, { params, query }, reply) => startSignIn(ctx, params.provider, query, reply),
  }),
  publicRoute("GET /v1/sign-in/{provider}/callback", {
    summary: "Complete a sign-in with the answer of an identity provider",
    limit: "sign_in",
    query: SignInCallbackQuery,
    produces: HTML,
    status: 302,
    errors: ["not_found"],
    run: (ctx, { params, query, cookie }, reply) =>
      finishSignIn(ctx, { id: params.provider, query: query as Record<string, string>, cookie }, reply),
  }),
];

function optionsOf({ config }: Ctx & { origin: RequestOrigin }): SignInOptions {
  return {
    providers: config.sign_in.providers.map(({ id, name }) => ({ id, name, url: `/v1/sign-in/${id}` })),
  } as SignInOptions;
}
