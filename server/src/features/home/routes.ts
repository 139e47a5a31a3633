import Type from "typebox";
import { publicRoute, type RouteRow } from "../../platform/route.ts";
import { readHomeFile } from "./read-home-file.ts";

const SignInCode = Type.Object({ code: Type.Optional(Type.String({ maxLength: 64 })) });

export const homeRoutes: RouteRow[] = [
  publicRoute({
    method: "GET",
    path: "/",
    summary: "The first page: sign in, see your projects, try the API",
    query: SignInCode,
    produces: "text/html; charset=utf-8",
    run: (_, __, reply) => readHomeFile("index.html", reply),
  }),
  publicRoute({
    method: "GET",
    path: "/home.js",
    summary: "Script of the first page",
    produces: "text/javascript; charset=utf-8",
    run: (_, __, reply) => readHomeFile("home.js", reply),
  }),
  publicRoute({
    method: "GET",
    path: "/home.css",
    summary: "Style of the first page",
    produces: "text/css; charset=utf-8",
    run: (_, __, reply) => readHomeFile("home.css", reply),
  }),
];
