import { publicRoute, type RouteRow } from "../../platform/route.ts";
import { readDocsFile, readOpenApi } from "./read-docs-file.ts";

export const docsRoutes: RouteRow[] = [
  publicRoute({
    method: "GET",
    path: "/openapi.json",
    summary: "This interface as an OpenAPI 3.1 document",
    produces: "application/json; charset=utf-8",
    run: () => readOpenApi(),
  }),
  publicRoute({
    method: "GET",
    path: "/docs",
    summary: "The reference, to read and try",
    produces: "text/html; charset=utf-8",
    run: (_, __, reply) => readDocsFile("index.html", reply),
  }),
  publicRoute({
    method: "GET",
    path: "/docs/{file}",
    summary: "Files of the reference page",
    produces: "text/plain; charset=utf-8",
    run: (_, { params }, reply) => readDocsFile(params.file, reply),
  }),
];
