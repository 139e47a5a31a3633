import Type from "typebox";
import { publicRoute, type Route } from "../../platform/route.ts";
import { printForModels } from "./print-for-models.ts";
import { readDocsFile, readOpenApi } from "./read-docs-file.ts";

export const docsRoutes: Route[] = [
  publicRoute({
    method: "GET",
    path: "/openapi.json",
    summary: "The API as an OpenAPI 3.1 document",
    produces: "application/json; charset=utf-8",
    producesSchema: Type.Object({}),
    run: () => readOpenApi(),
  }),
  publicRoute({
    method: "GET",
    path: "/llms.txt",
    summary: "A summary of the API for language models",
    produces: "text/plain; charset=utf-8",
    run: (ctx) => printForModels(ctx.origin.base_url),
  }),
  publicRoute({
    method: "GET",
    path: "/docs",
    summary: "The interactive API reference",
    produces: "text/html; charset=utf-8",
    run: (_, __, reply) => readDocsFile("page", "index.html", reply),
  }),
  publicRoute({
    method: "GET",
    path: "/docs/js/{file}",
    summary: "Scripts of the reference page",
    produces: "text/javascript; charset=utf-8",
    run: (_, { params }, reply) => readDocsFile("script", params.file, reply),
  }),
  publicRoute({
    method: "GET",
    path: "/docs/css/{file}",
    summary: "Styles of the reference page",
    produces: "text/css; charset=utf-8",
    run: (_, { params }, reply) => readDocsFile("style", params.file, reply),
  }),
];
