import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RouteReply } from "../../platform/route.ts";
import { serverRoot } from "../../platform/server-root.ts";

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A file of the page, under a policy that lets it load from here and nowhere else. */
export async function readHomeFile(name: "index.html" | "home.js" | "home.css", reply: RouteReply): Promise<string> {
  reply.header("content-security-policy", PAGE_POLICY);
  return readFile(join(serverRoot(), "home", name), "utf8");
}
