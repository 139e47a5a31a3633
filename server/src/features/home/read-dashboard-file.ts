import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { notFound } from "../../platform/errors/errors.ts";
import { PAGE_POLICY } from "../../platform/http/page-policy.ts";
import type { RouteReply } from "../../platform/route.ts";
import { serverRoot } from "../../platform/server-root.ts";

/**
 * Names that the build produces: a name, its hash, and the extension. No other file inside or outside the folder is
 * served.
 */
const NAMES = {
  js: /^[\w-]+\.js$/,
  css: /^[\w-]+\.css$/,
  fonts: /^[\w-]+\.woff2$/,
};

const FOR_EVER = "public, max-age=31536000, immutable"; // changed content gets a new name

/** A script, style sheet or font of the dashboard. */
export async function readAsset(kind: keyof typeof NAMES, name: string, reply: RouteReply): Promise<Buffer> {
  if (!NAMES[kind].test(name)) throw notFound("file");
  const asset = await readIfThere(join(dashboardFolder(), "assets", kind, name));
  if (!asset) throw notFound("file");
  reply.header("content-security-policy", PAGE_POLICY);
  reply.header("cache-control", FOR_EVER);
  return asset;
}

/** The page of the dashboard, which routes by URL itself; or a page that says that none is installed. */
export async function readDashboardPage(reply: Pick<RouteReply, "header">): Promise<string> {
  reply.header("content-security-policy", PAGE_POLICY);
  const page = await readIfThere(join(dashboardFolder(), "index.html"));
  return page?.toString("utf8") ?? readFile(join(serverRoot(), "home", "no-dashboard.html"), "utf8");
}

/** Whether a browser follows a link into the dashboard. API paths are never pages. */
export function isPageRequested(method: string, path: string, accept: string | undefined): boolean {
  const isReading = method === "GET" || method === "HEAD";
  return isReading && accept?.includes("text/html") === true && !NO_PAGES.test(path);
}

const NO_PAGES = /^\/(v1|sdk|assets|docs|schemas|health|metrics|openapi\.json)(\/|$|\?)/;

function dashboardFolder(): string {
  return join(serverRoot(), "..", "dashboard", "dist");
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
