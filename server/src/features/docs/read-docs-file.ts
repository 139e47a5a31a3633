import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { notFound } from "../../platform/errors/errors.ts";
import { PAGE_POLICY } from "../../platform/page-policy.ts";
import type { RouteReply } from "../../platform/route.ts";
import { serverRoot } from "../../platform/server-root.ts";

/** Exactly these files of server/docs; the dashboard uses the theme and the colours too. */
const ASSETS = { js: ["site.js", "theme.js"], css: ["site.css", "tokens.css"] };

const PAGE_NAME = /^[a-z0-9][a-z0-9_-]{0,80}(\.md)?$/;

/** A script or style sheet. All are served from here: no request leaves the origin. */
export async function readDocsAsset(kind: keyof typeof ASSETS, name: string, reply: RouteReply): Promise<string> {
  if (!ASSETS[kind].includes(name)) throw notFound("file");
  reply.header("content-security-policy", PAGE_POLICY);
  return readFile(join(serverRoot(), "docs", name), "utf8");
}

/** A page by its path: `guides/saga` as HTML, `guides/saga.md` as Markdown. No path is the start page. */
export async function readDocsPage(names: readonly string[], reply: RouteReply): Promise<string> {
  if (!names.every((name) => PAGE_NAME.test(name))) throw notFound("page");
  const path = names.join("/");
  reply.header("content-security-policy", PAGE_POLICY);
  if (path.endsWith(".md")) {
    reply.header("content-type", "text/markdown; charset=utf-8");
    return (await readBuilt(path)) ?? missing();
  }
  const page = await readBuilt(join(path, "index.html"));
  if (page !== undefined) return page;
  if (path !== "") throw notFound("page");
  return readFile(join(serverRoot(), "docs", "not-built.html"), "utf8");
}

const IMAGE_NAME = /^[a-z0-9-]{1,80}\.png$/;

export async function readDocsImage(name: string, reply: RouteReply): Promise<Buffer> {
  if (!IMAGE_NAME.test(name)) throw notFound("file");
  reply.header("content-security-policy", PAGE_POLICY);
  return readFile(builtFile(`images/${name}`)).catch(missing);
}

/** A text that the build writes, such as the search index. */
export async function readDocsText(name: "search.json" | "llms-full.txt"): Promise<string> {
  return (await readBuilt(name)) ?? missing();
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

function missing(): never {
  throw notFound("file");
}
