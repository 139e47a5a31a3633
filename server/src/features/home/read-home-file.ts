import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { notFound } from "../../platform/errors.ts";
import { PAGE_POLICY } from "../../platform/page-policy.ts";
import type { RouteReply } from "../../platform/route.ts";
import { serverRoot } from "../../platform/server-root.ts";

/** All that can be asked for, by kind: nothing else of the folder, or beyond it. */
const FILES = {
  page: new Set(["index.html"]),
  script: new Set([
    "account.js",
    "api-keys.js",
    "api.js",
    "copy.js",
    "create-api-key.js",
    "create-project.js",
    "dialogs.js",
    "dom.js",
    "environments.js",
    "health.js",
    "home.js",
    "paged-list.js",
    "parse-variables.js",
    "problem-view.js",
    "project-page.js",
    "project-rail.js",
    "secret-once.js",
    "section.js",
    "sign-in.js",
    "theme.js",
    "try-it.js",
    "workspace.js",
  ]),
  style: new Set(["controls.css", "home.css", "tokens.css"]),
  image: new Set(["logo.svg"]),
};

/** A file of the page, under a policy that lets it load from here and nowhere else. */
export async function readHomeFile(kind: keyof typeof FILES, name: string, reply: RouteReply): Promise<string> {
  if (!FILES[kind].has(name)) throw notFound("file");
  reply.header("content-security-policy", PAGE_POLICY);
  return readFile(join(serverRoot(), "home", name), "utf8");
}
