import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../ensure-installed.mjs";

const { version, license, engines, repository, author } = readManifest(".");

/** Fields that all published packages share. npm does not need `private` and scripts of the workspaces. */
export function publishedManifest({ name, description, keywords }, rest) {
  const directory = rest.directory === undefined ? {} : { directory: rest.directory };
  const { directory: _, ...fields } = rest;
  return {
    ...{ name, version, description, license, author, engines, keywords },
    repository: { ...repository, ...directory },
    publishConfig: { access: "public" },
    type: "module",
    ...fields,
  };
}

/** Every package has a license and a README of its own next to its manifest. */
export function writePackage(folder, manifest, readme) {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "README.md"), readme);
}

export function readManifest(workspace) {
  return JSON.parse(readFileSync(join(root, workspace, "package.json"), "utf8"));
}
