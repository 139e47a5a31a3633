import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { notFound } from "../../platform/errors/errors.ts";
import { PAGE_POLICY } from "../../platform/http/page-policy.ts";
import type { RouteReply } from "../../platform/route.ts";
import { serverRoot } from "../../platform/server-root.ts";

/** Exactly these files of server/docs; the dashboard uses the theme and the colors too. */
const ASSETS = { js: ["site.js", "theme.js"], css: ["site.css", "tokens.css"] };

const PAGE_PATH = /^([a-z0-9][a-z0-9_-]{0,80}\/)?[a-z0-9][a-z0-9_-]{0,80}(\.md)?$/;

/** Their names stay the same when the service is upgraded, so a browser may keep them only briefly. */
const ASSET_CACHE = "public, max-age=300";

/** A script or style sheet. All are served from here: no request leaves the origin. */
export async function readDocsAsset(kind: keyof typeof ASSETS, name: string, reply: RouteReply): Promise<string> {
  if (!ASSETS[kind].includes(name)) throw notFound("file");
  reply.header("content-security-policy", PAGE_POLICY);
  reply.header("cache-control", ASSET_CACHE);
  return readFile(join(serverRoot(), "docs", name), "utf8");
}

/** What is asked for, and whether by a browser: it shows a page also when there is none. */
type Wanted = { path: string; accept: string | undefined };

/** A page by its path: `guides/saga` as HTML, `guides/saga.md` as Markdown. No path is the start page. */
export async function readDocsPage({ path, accept }: Wanted, reply: RouteReply): Promise<string> {
  const isKnown = path === "" || PAGE_PATH.test(path);
  const page = isKnown ? await readBuilt(path.endsWith(".md") ? path : join(path, "index.html")) : undefined;
  reply.header("content-security-policy", PAGE_POLICY);
  if (page !== undefined) {
    if (path.endsWith(".md")) reply.header("content-type", "text/markdown; charset=utf-8");
    return page;
  }
  if (path === "") return readFile(join(serverRoot(), "docs", "not-built.html"), "utf8");
  const missing = accept?.includes("text/html") ? await readBuilt("not-found.html") : undefined;
  if (missing === undefined) throw notFound("page");
  reply.status(404);
  return missing;
}

const IMAGE_NAME = /^[a-z0-9-]{1,80}\.png$/;

export async function readDocsImage(name: string, reply: RouteReply): Promise<Buffer> {
  if (!IMAGE_NAME.test(name)) throw notFound("file");
  reply.header("content-security-policy", PAGE_POLICY);
  reply.header("cache-control", ASSET_CACHE);
  return readFile(builtFile(`images/${name}`)).catch(() => {
    throw notFound("file");
  });
}

/** A text that the build writes, such as the search index. */
export async function readDocsText(name: "search.json" | "llms-full.txt", reply: RouteReply): Promise<string> {
  const text = await readBuilt(name);
  if (text === undefined) throw notFound("file");
  reply.header("cache-control", ASSET_CACHE);
  return text;
}

/** Undefined if there is no such file, for example because the documentation is not built. */
export async function readBuilt(path: string): Promise<string | undefined> {
  try {
    return await readFile(builtFile(path), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function builtFile(path: string): string {
  return join(serverRoot(), "..", "docs", "dist", path);
}
