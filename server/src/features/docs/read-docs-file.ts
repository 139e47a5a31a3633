import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { notFound } from "../../platform/errors/errors.ts";
import { PAGE_POLICY } from "../../platform/page-policy.ts";
import type { RouteReply } from "../../platform/route.ts";
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
export async function readDocsFile(kind: keyof typeof FILES, name: string, reply: RouteReply): Promise<string> {
  const folder = FILES[kind].get(name);
  if (!folder) throw notFound("file");
  reply.header("content-security-policy", PAGE_POLICY);
  return readFile(join(folder(), name), "utf8");
}

export function readOpenApi(): Promise<string> {
  return readFile(join(serverRoot(), "..", "openapi.json"), "utf8");
}

function docsFolder(): string {
  return join(serverRoot(), "docs");
}

function viewerFolder(): string {
  const manifest = createRequire(import.meta.url).resolve("@fastify/swagger-ui/package.json");
  return join(dirname(manifest), "static");
}
