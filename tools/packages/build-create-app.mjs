import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../ensure-installed.mjs";
import { publishedManifest, readManifest, writePackage } from "./manifest.mjs";

/** Builds `create-millrace-app`: `npm create millrace-app` runs it. It has no dependencies. */
export function buildCreateApp(folder) {
  const source = join(root, "create-app");
  for (const name of ["create-app.mjs", "template"])
    cpSync(join(source, name), join(folder, name), { recursive: true });
  const { name, description, keywords, bin } = readManifest("create-app");
  const manifest = publishedManifest(
    { name, description, keywords },
    { directory: "create-app", bin, files: ["create-app.mjs", "template"] },
  );
  writePackage(folder, manifest, readFileSync(join(source, "README.md"), "utf8"));
}
