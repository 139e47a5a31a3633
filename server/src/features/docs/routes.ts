import Type from "typebox";
import { publicRoute, type Route } from "../../platform/route.ts";
import { printForModels } from "./print-for-models.ts";
import { readDocsAsset, readDocsImage, readDocsPage, readDocsText } from "./read-docs-file.ts";
import { readOpenApi } from "./read-openapi.ts";

export const docsRoutes: Route[] = [
  publicRoute("GET /openapi.json", {
    summary: "The API as an OpenAPI 3.1 document",
    produces: "application/json; charset=utf-8",
    producesSchema: Type.Object({}),
    run: () => readOpenApi(),
  }),
  publicRoute("GET /llms.txt", {
    summary: "A summary of the API and the documentation for language models",
    produces: "text/plain; charset=utf-8",
    run: (ctx) => printForModels(ctx.origin.base_url),
  }),
  publicRoute("GET /llms-full.txt", {
    summary: "The documentation in one text, for language models",
    produces: "text/plain; charset=utf-8",
    errors: ["not_found"],
    run: (_, __, reply) => readDocsText("llms-full.txt", reply),
  }),
  publicRoute("GET /docs", {
    summary: "The documentation",
    produces: "text/html; charset=utf-8",
    run: (_, { accept }, reply) => readDocsPage({ path: "", accept }, reply),
  }),
  publicRoute("GET /docs/{page}", {
    summary: "A page of the documentation, as HTML or (with the ending `.md`) as Markdown",
    produces: "text/html; charset=utf-8",
    otherForms: ["text/markdown"],
    // `/docs/` is the start page too.
    run: (_, { params, accept }, reply) => readDocsPage({ path: params.page, accept }, reply),
  }),
  publicRoute("GET /docs/{section}/{page}", {
    summary: "A page of a section of the documentation, as HTML or (with the ending `.md`) as Markdown",
    produces: "text/html; charset=utf-8",
    otherForms: ["text/markdown"],
    run: (_, { params, accept }, reply) => readDocsPage({ path: `${params.section}/${params.page}`, accept }, reply),
  }),
  publicRoute("GET /docs/search.json", {
    summary: "The search index of the documentation",
    produces: "application/json; charset=utf-8",
    producesSchema: Type.Object({}),
    errors: ["not_found"],
    run: (_, __, reply) => readDocsText("search.json", reply),
  }),
  publicRoute("GET /docs/js/{file}", {
    summary: "Scripts of the documentation",
    produces: "text/javascript; charset=utf-8",
    run: (_, { params }, reply) => readDocsAsset("js", params.file, reply),
  }),
  publicRoute("GET /docs/css/{file}", {
    summary: "Styles of the documentation",
    produces: "text/css; charset=utf-8",
    run: (_, { params }, reply) => readDocsAsset("css", params.file, reply),
  }),
  publicRoute("GET /docs/images/{file}", {
    summary: "Images of the documentation",
    produces: "image/png",
    run: (_, { params }, reply) => readDocsImage(params.file, reply),
  }),
];
