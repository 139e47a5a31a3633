import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../ensure-installed.mjs";
import { lockClosure, nameOfPlace } from "./lock-closure.mjs";

/** They compile the dashboard; none of their code is in its files. */
export const BUILD_TOOLS = new Set(["vite", "@vitejs/plugin-react", "@tailwindcss/vite", "tailwindcss"]);

/** The licenses of packages whose code is inside our bundles: they require their text to be distributed with it. */
export function thirdPartyNotices(bundled) {
  const places = new Map();
  for (const [workspace, names] of Object.entries(bundled)) {
    const wanted = names.filter((name) => !name.startsWith("@millrace/") && !BUILD_TOOLS.has(name));
    for (const [place, { version, license }] of Object.entries(lockClosure(workspace, wanted))) {
      if (existsSync(join(root, place))) places.set(place, { version, license });
    }
  }
  const sections = [...places]
    .sort(([a], [b]) => (nameOfPlace(a) < nameOfPlace(b) ? -1 : 1))
    .map(([place, { version, license }]) => `## ${nameOfPlace(place)} ${version} (${license})\n\n${textOf(place)}`);
  return `# Third-party code in this package\n\n${[...new Set(sections)].join("\n")}`;
}

function textOf(place) {
  const folder = join(root, place);
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined
    ? "The package contains no license text.\n"
    : `${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
