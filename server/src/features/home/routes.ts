import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Type from "typebox";
import { PAGE_POLICY } from "../../platform/http/page-policy.ts";
import { publicRoute, type Route, type RouteReply } from "../../platform/route.ts";
import { serverRoot } from "../../platform/server-root.ts";
import { readAsset, readDashboardPage } from "./read-dashboard-file.ts";

const SignInCode = Type.Object({ code: Type.Optional(Type.String({ description: "From a one-time sign-in link." })) });

/**
 * Deep links of the dashboard have no routes: every path outside the API returns its page
 * (`api/response/send-not-found.ts`).
 */
export const homeRoutes: Route[] = [
  publicRoute("GET /", {
    summary: "The dashboard",
    query: SignInCode,
    produces: "text/html; charset=utf-8",
    run: (_, __, reply) => readDashboardPage(reply),
  }),
  publicRoute("GET /assets/js/{file}", {
    summary: "Scripts of the dashboard",
    produces: "text/javascript; charset=utf-8",
    run: (_, { params }, reply) => readAsset("js", params.file, reply),
  }),
  publicRoute("GET /assets/css/{file}", {
    summary: "Styles of the dashboard",
    produces: "text/css; charset=utf-8",
    run: (_, { params }, reply) => readAsset("css", params.file, reply),
  }),
  publicRoute("GET /assets/fonts/{file}", {
    summary: "Fonts of the dashboard",
    produces: "font/woff2",
    run: (_, { params }, reply) => readAsset("fonts", params.file, reply),
  }),
  publicRoute("GET /favicon.svg", {
    summary: "The logo of the service",
    produces: "image/svg+xml",
    run: (_, __, reply) => readLogo(reply),
  }),
  publicRoute("GET /favicon.ico", {
    summary: "The favicon",
    produces: "image/svg+xml",
    run: (_, __, reply) => readLogo(reply),
  }),
];

function readLogo(reply: RouteReply): Promise<string> {
  reply.header("content-security-policy", PAGE_POLICY);
  return readFile(join(serverRoot(), "home", "logo.svg"), "utf8");
}
