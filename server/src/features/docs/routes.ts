import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import Type from "typebox";
import { notFound } from "../../platform/errors/errors.ts";
import { PAGE_POLICY } from "../../platform/page-policy.ts";
import { publicRoute, type Route, type RouteReply } from "../../platform/route.ts";
import { serverRoot } from "../../platform/server-root.ts";

/** Our own files, and exactly these of the viewer: no other file of the package can be requested. */
const FILES = {
  page: new Map([["index.html", docsFolder]]),
  script: new Map([
    ["start.js", docsFolder],
    ["theme.js", docsFolder],
    ["swagger-ui-bundle.js", viewerFolder],
  ]),
  style: new Map([
    ["docs.css", docsFolder],
    ["tokens.css", docsFolder],
    ["swagger-ui.css", viewerFolder],
  ]),
};

/** A file of the reference page. All are served from here: no request leaves the origin. */
async function readDocsFile(kind: keyof typeof FILES, name: string, reply: RouteReply): Promise<string> {
  const folder = FILES[kind].get(name);
  if (!folder) throw notFound("file");
  reply.header("content-security-policy", PAGE_POLICY);
  return readFile(join(folder(), name), "utf8");
}

function readOpenApi(): Promise<string> {
  return readFile(join(serverRoot(), "..", "openapi.json"), "utf8");
}

function docsFolder(): string {
  return join(serverRoot(), "docs");
}

function viewerFolder(): string {
  const manifest = createRequire(import.meta.url).resolve("@fastify/swagger-ui/package.json");
  return join(dirname(manifest), "static");
}

export const docsRoutes: Route[] = [
  publicRoute("GET /openapi.json", {
    summary: "The API as an OpenAPI 3.1 document",
    produces: "application/json; charset=utf-8",
    producesSchema: Type.Object({}),
    run: () => readOpenApi(),
  }),
  publicRoute("GET /llms.txt", {
    summary: "A summary of the API for language models",
    produces: "text/plain; charset=utf-8",
    run: (ctx) => printForModels(ctx.origin.base_url),
  }),
  publicRoute("GET /docs", {
    summary: "The interactive API reference",
    produces: "text/html; charset=utf-8",
    run: (_, __, reply) => readDocsFile("page", "index.html", reply),
  }),
  publicRoute("GET /docs/js/{file}", {
    summary: "Scripts of the reference page",
    produces: "text/javascript; charset=utf-8",
    run: (_, { params }, reply) => readDocsFile("script", params.file, reply),
  }),
  publicRoute("GET /docs/css/{file}", {
    summary: "Styles of the reference page",
    produces: "text/css; charset=utf-8",
    run: (_, { params }, reply) => readDocsFile("style", params.file, reply),
  }),
];

type Operation = { summary: string; tags: string[] };
type Document = { paths: Record<string, Record<string, Operation>> };

/**
 * A summary of the interface for language models, in the format of llmstxt.org. Generated from the document, so it
 * stays correct.
 */
async function printForModels(base_url: string): Promise<string> {
  const document = JSON.parse(await readOpenApi()) as Document;
  const areas = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!/^\/(sdk\/)?v1\//.test(path)) continue;
    for (const [method, { summary, tags }] of Object.entries(methods)) {
      const area = tags[0] ?? "";
      areas.set(area, [...(areas.get(area) ?? []), `- \`${method.toUpperCase()} ${path}\`: ${summary}`]);
    }
  }
  const paths = [...areas].map(([area, lines]) => `### ${area}\n\n${lines.join("\n")}\n`);
  return `${introduction(base_url)}\n## Paths\n\n${paths.join("\n")}`;
}

function introduction(base_url: string): string {
  return `# Millrace

> Durable jobs and workflows over HTTP. A job is work behind an HTTP endpoint; Millrace decides when it runs, calls the
> endpoint at least once, retries, and keeps the history. Workflows are steps that depend on each other: jobs, waits
> for events, sleeps, approvals, maps and other workflows.

- Base URL: ${base_url}
- Authentication: \`Authorization: Bearer svc_…\`, an API key of a project. Running jobs call \`/sdk/v1\` with the token of
  their dispatch (its header \`X-Svc-Run-Token\`), also as \`Authorization: Bearer …\`.
- Bodies are JSON in snake_case; unknown fields are rejected with 422 and their location. Times are ISO 8601 in UTC.
- Errors are one object: \`code\` is stable, \`detail\` is for people, \`errors\` lists \`{location, message, value}\`.
- Lists return \`{data, has_more, next_cursor}\` and accept \`limit\` (default 50, at most 100) and \`cursor\`.
- Triggers and sends are safe to repeat with the header \`Idempotency-Key\`.

## Reference

- [OpenAPI 3.1](${base_url}/openapi.json): every path with its fields
- [Reference page](${base_url}/docs): the same, to read and try
`;
}
