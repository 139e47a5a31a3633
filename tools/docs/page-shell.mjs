import { escapeHtml } from "./escape-html.mjs";
import { addressOf } from "./resolve-link.mjs";

/** A whole HTML page. `site` has `base`, `groups` (the sidebar), `isStandalone` and `repository`. */
export function renderPage(page, site) {
  const { base } = site;
  const title = page.path === "" ? "Millrace documentation" : `${page.title} · Millrace`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<meta name="description" content="${escapeHtml(page.description)}" />
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${iconOf(site)}" type="image/svg+xml" />
<link rel="stylesheet" href="${base}css/tokens.css" />
<link rel="stylesheet" href="${base}css/site.css" />
<script src="${base}js/theme.js"></script>
<script src="${base}js/site.js" defer></script>
</head>
<body data-base="${base}">
<a class="skip" href="#content">Skip to the content</a>
${renderBar(page, site)}
<div class="columns">
<details class="menu"><summary>Menu</summary>${renderSidebar(page, site)}</details>
<aside class="sidebar">${renderSidebar(page, site)}</aside>
<main id="content">
<article>
${page.html}
</article>
${renderEnds(page, site)}
</main>
${renderContents(page)}
</div>
</body>
</html>
`;
}

function iconOf({ base, isStandalone }) {
  return isStandalone ? `${base}favicon.svg` : "/favicon.svg";
}

function renderBar({ path = "" }, site) {
  const { base, isStandalone, repository } = site;
  const isApi = path === "api" || path.startsWith("api/");
  const current = (is) => (is ? ' aria-current="true"' : "");
  const other = isStandalone ? `<a href="${repository}">Source</a>` : '<a href="/">Dashboard</a>';
  return `<header class="bar">
<a class="brand" href="${addressOf(base, "")}"><img src="${iconOf(site)}" alt="" width="24" height="24" />Millrace</a>
<nav class="bar-links" aria-label="Site">
<a href="${addressOf(base, "")}"${current(!isApi)}>Docs</a>
<a href="${base}api"${current(isApi)}>API</a>
${other}
</nav>
<div class="bar-end">
<search class="search" hidden><input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" aria-controls="results" /><div id="results" class="results" hidden></div></search>
<button class="icon-button" type="button" data-theme-toggle></button>
</div>
</header>`;
}

function renderSidebar(page, { base, groups }) {
  const sections = groups.map(({ title, pages }) => {
    const links = pages.map(({ path, navTitle }) => {
      const current = path === page.path ? ' aria-current="page"' : "";
      return `<li><a href="${addressOf(base, path)}"${current}>${escapeHtml(navTitle)}</a></li>`;
    });
    const isOpen = pages.some(({ path }) => path === page.path) || title === page.section;
    return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(title)}</summary><ul>${links.join("")}</ul></details>`;
  });
  return `<nav aria-label="Pages">${sections.join("")}</nav>`;
}

/** The previous and the next page, and where this one comes from. */
function renderEnds(page, { base, groups, repository }) {
  const order = groups.flatMap(({ pages }) => pages);
  const at = order.findIndex(({ path }) => path === page.path);
  const link = (other, name) =>
    other
      ? `<a class="${name}" href="${addressOf(base, other.path)}">${escapeHtml(other.navTitle)}</a>`
      : "<span></span>";
  const ends =
    at < 0
      ? ""
      : `<nav class="ends" aria-label="Next pages">${link(order[at - 1], "previous")}${link(order[at + 1], "next")}</nav>`;
  if (!page.markdown) return ends;
  const source = `<p class="source"><a href="${base}${page.path || "index"}.md">This page as Markdown</a> · <a href="${repository}/blob/main/${page.file}">Source</a></p>`;
  return `${ends}${source}`;
}

function renderContents({ headings }) {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ id, depth, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>`;
}
