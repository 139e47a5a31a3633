import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { notFound } from "../../platform/errors.ts";
import type { RouteReply } from "../../platform/route.ts";
import { serverRoot } from "../../platform/server-root.ts";

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'", // the viewer writes style attributes
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Ours, and of the viewer exactly these: nothing else of the package can be asked for. */
const FILES: Record<string, { type: string; from: "docs" | "viewer" }> = {
  "index.html": { type: "text/html; charset=utf-8", from: "docs" },
  "start.js": { type: "text/javascript; charset=utf-8", from: "docs" },
  "swagger-ui-bundle.js": { type: "text/javascript; charset=utf-8", from: "viewer" },
  "swagger-ui.css": { type: "text/css; charset=utf-8", from: "viewer" },
};

/** A file of the reference page. All of it is served from here: no request leaves the origin. */
export async function readDocsFile(name: string, reply: RouteReply): Promise<string> {
  const file = FILES[name];
  if (!file) throw notFound("file");
  reply.header("content-security-policy", PAGE_POLICY);
  reply.header("content-type", file.type);
  return readFile(join(file.from === "docs" ? docsFolder() : viewerFolder(), name), "utf8");
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
