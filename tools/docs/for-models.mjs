/** Test results, decisions and error pages do not help somebody who writes code. */
const LEFT_OUT = /^(adr|evidence|requirements|errors)(\/|$)/;

/** All pages in one text, for language models (llmstxt.org). */
export function llmsFull(pages) {
  const kept = pages.filter(({ path, markdown }) => markdown !== undefined && !LEFT_OUT.test(path));
  return kept.map(({ path, markdown }) => `<!-- /docs/${path} -->\n\n${markdown.trim()}\n`).join("\n");
}

/** The pages with one line each, which the service adds to its `/llms.txt`. */
export function pageList(pages) {
  const kept = pages.filter(({ path, markdown }) => markdown !== undefined && !LEFT_OUT.test(path));
  return kept.map(({ path, title, section, description }) => ({ path, title, section, description }));
}

/** The list of pages for a site of its own. The service adds the paths of the API to its `/llms.txt`. */
export function llmsIndex(pages, base) {
  const lines = pageList(pages).map(
    ({ path, title, description }) => `- [${title}](${base}${path || "index"}.md): ${description}`,
  );
  return `# Millrace\n\n> Durable jobs and workflows over HTTP.\n\n## Pages\n\n${lines.join("\n")}\n`;
}
