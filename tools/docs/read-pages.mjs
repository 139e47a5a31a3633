import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { renderMarkdown } from "./render-markdown.mjs";
import { linksOf } from "./resolve-link.mjs";

/** Renders every page of the navigation. `links` collects their links into the site, and those to missing files. */
export function readPages(nav, { root, base, repository, links }) {
  const listed = nav.flatMap((section) => section.pages.map((page) => ({ ...page, section })));
  const pagesByFile = new Map(listed.map((page) => [page.file, page]));
  return listed.map((page) => {
    const markdown = existsSync(join(root, page.file))
      ? readFileSync(join(root, page.file), "utf8")
      : indexOf(root, page);
    const rendered = renderMarkdown(markdown, linksOf(page.file, { root, pagesByFile, base, repository, ...links }));
    return {
      path: page.path,
      file: page.file,
      markdown,
      section: page.section.title,
      navTitle: page.title ?? rendered.title,
      ...rendered,
      description: descriptionOf(rendered.html),
      ids: [rendered.titleId, ...rendered.headings.map(({ id }) => id)],
    };
  });
}

/** The index of a folder without a README.md: each page with its first paragraph. */
function indexOf(root, { section }) {
  const [, ...pages] = section.pages;
  const rows = pages.map(({ file }) => {
    const [heading = "", lead = ""] = readFileSync(join(root, file), "utf8").split("\n\n");
    return `| [${heading.replace(/^# /, "")}](${file.split("/").at(-1)}) | ${lead.replaceAll("**", "")} |`;
  });
  return `# ${section.title}\n\n| | |\n|---|---|\n${rows.join("\n")}\n`;
}

/** The first paragraph as text, for search engines and llms.txt. */
function descriptionOf(html) {
  const [, paragraph = ""] = /<p>([\s\S]*?)<\/p>/.exec(html) ?? [];
  const text = paragraph
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return text.length <= 200 ? text : `${text.slice(0, 197).replace(/\s+\S*$/, "")}…`;
}
