import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { apiPages } from "./api/api-pages.mjs";
import { llmsFull, llmsIndex, pageList } from "./for-models.mjs";
import { renderPage } from "./page-shell.mjs";
import { readNav } from "./read-nav.mjs";
import { readPages } from "./read-pages.mjs";
import { addressOf, findBroken } from "./resolve-link.mjs";
import { searchIndex } from "./search-index.mjs";

/** Sections with many small pages show only their index in the sidebar. */
const MAX_LISTED = 30;

/**
 * Writes the documentation as static files into `out`: pages as HTML and Markdown, styles, scripts, images, the search
 * index and the texts for language models. Throws for a broken link. `base` is the path that the site is served at.
 */
export function writeSite({ root, out, base = "/docs/", isStandalone = false }) {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");
  const links = { used: [], broken: [] };
  const nav = readNav(join(root, "docs"));
  const written = readPages(nav, { root, base, repository, links });
  const document = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));
  const generated = apiPages(document, base, isStandalone ? `${base}openapi.json` : "/openapi.json");
  const pages = [...written, ...generated];
  refuseBroken([...links.broken, ...findBroken(links.used, pages)]);

  const site = { base, isStandalone, repository, groups: groupsOf(nav, written, generated) };
  for (const page of pages) {
    write(join(out, page.path, "index.html"), renderPage(page, site));
    if (page.markdown) write(join(out, `${page.path || "index"}.md`), page.markdown);
  }
  write(join(out, isStandalone ? "404.html" : "not-found.html"), renderPage(missingPage(base), site));
  write(join(out, "search.json"), JSON.stringify(searchIndex(pages)));
  write(join(out, "pages.json"), JSON.stringify(pageList(pages)));
  write(join(out, "llms-full.txt"), llmsFull(pages));
  copyAssets(root, out);
  if (isStandalone) {
    write(join(out, "llms.txt"), llmsIndex(pages, base));
    cpSync(join(root, "openapi.json"), join(out, "openapi.json"));
  }
  return pages;
}

/** For an address without a page; most hosts of static files show `404.html`. */
function missingPage(base) {
  const html = `<h1>This page does not exist</h1>
<p>It may have moved: search for it, or begin at the <a href="${addressOf(base, "")}">start page</a> or the
<a href="${base}api">API reference</a>.</p>`;
  return { title: "Page not found", description: "", html, headings: [] };
}

function refuseBroken(broken) {
  if (broken.length > 0) throw new Error(`${broken.length} broken links:\n${broken.join("\n")}`);
}

function groupsOf(nav, written, generated) {
  const byPath = new Map(written.map((page) => [page.path, page]));
  const groups = nav.map(({ title, isFolder, pages }) => {
    const shown = isFolder && pages.length > MAX_LISTED ? pages.slice(0, 1) : pages;
    return { title, pages: shown.map(({ path }) => byPath.get(path)) };
  });
  const at = groups.findIndex(({ title }) => title === "Operate");
  return groups.toSpliced(at, 0, { title: "API", pages: generated });
}

function copyAssets(root, out) {
  const assets = join(root, "server", "docs");
  for (const name of ["site.css", "tokens.css"]) cpSync(join(assets, name), join(out, "css", name));
  for (const name of ["site.js", "theme.js"]) cpSync(join(assets, name), join(out, "js", name));
  cpSync(join(root, "docs", "images"), join(out, "images"), { recursive: true });
  cpSync(join(root, "server", "home", "logo.svg"), join(out, "favicon.svg"));
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
