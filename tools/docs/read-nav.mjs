import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The sections of docs/nav.json with their pages: `{title, pages: [{path, file, title}]}`. A section with a `folder` has
 * all pages of that folder, its README.md first; without a README.md the generator writes an index.
 */
export function readNav(docs) {
  const sections = JSON.parse(readFileSync(join(docs, "nav.json"), "utf8"));
  return sections.map((section) => (section.folder ? folderSection(docs, section) : listedSection(section)));
}

function listedSection({ title, pages }) {
  return {
    title,
    pages: pages.map((page) => ({ path: page.path, file: `docs/${page.path || "index"}.md`, title: page.title })),
  };
}

function folderSection(docs, { title, folder }) {
  const names = readdirSync(join(docs, folder)).filter((name) => name.endsWith(".md") && name !== "README.md");
  const index = { path: folder, file: `docs/${folder}/README.md`, title };
  const pages = names.sort().map((name) => {
    const path = `${folder}/${name.replace(/\.md$/, "")}`;
    return { path, file: `docs/${path}.md` };
  });
  return { title, isFolder: true, pages: [index, ...pages] };
}
