import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../ensure-installed.mjs";

/** These dependencies of a workspace with all their own dependencies: the entries of the lockfile, by path. */
export function lockClosure(workspace, names) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const found = {};
  const visit = (from, name, isOptional) => {
    const place = placeOf(packages, from, name);
    if (place === undefined && isOptional) return;
    if (place === undefined) throw new Error(`${name}, which ${from} needs, is not in package-lock.json`);
    if (found[place] !== undefined || packages[place].link) return;
    found[place] = packages[place];
    const { dependencies = {}, optionalDependencies = {} } = packages[place];
    for (const each of Object.keys(dependencies)) visit(place, each, false);
    for (const each of Object.keys(optionalDependencies)) visit(place, each, true);
  };
  for (const name of names) visit(workspace, name, false);
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** As Node resolves a package: in the folder itself, then in each folder above it. */
function placeOf(packages, from, name) {
  for (let folder = from; ; folder = parentOf(folder)) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === "") return undefined;
  }
}

function parentOf(folder) {
  const end = folder.lastIndexOf("/node_modules/");
  return end < 0 ? "" : folder.slice(0, end);
}

/** `node_modules/a/node_modules/@b/c` → `@b/c`. */
export function nameOfPlace(place) {
  return place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
}
