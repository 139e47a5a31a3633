import Type from "typebox";
import { publicRoute, type RouteRow } from "../../platform/route.ts";
import { readHomeFile } from "./read-home-file.ts";

const SignInCode = Type.Object({ code: Type.Optional(Type.String({ description: "From a one-time sign-in link." })) });

export const homeRoutes: RouteRow[] = [
  publicRoute({
    method: "GET",
    path: "/",
    summary: "The first page: sign in, see your projects, try the API",
    query: SignInCode,
    produces: "text/html; charset=utf-8",
    run: (_, __, reply) => readHomeFile("page", "index.html", reply),
  }),
  publicRoute({
    method: "GET",
    path: "/home/js/{file}",
    summary: "Scripts of the first page",
    produces: "text/javascript; charset=utf-8",
    run: (_, { params }, reply) => readHomeFile("script", params.file, reply),
  }),
  publicRoute({
    method: "GET",
    path: "/home/css/{file}",
    summary: "Styles of the first page",
    produces: "text/css; charset=utf-8",
    run: (_, { params }, reply) => readHomeFile("style", params.file, reply),
  }),
  publicRoute({
    method: "GET",
    path: "/favicon.svg",
    summary: "The mark of the service",
    produces: "image/svg+xml",
    run: (_, __, reply) => readHomeFile("image", "logo.svg", reply),
  }),
  publicRoute({
    method: "GET",
    path: "/favicon.ico",
    summary: "The mark of the service, for pages that name none",
    produces: "image/svg+xml",
    run: (_, __, reply) => readHomeFile("image", "logo.svg", reply),
  }),
];
