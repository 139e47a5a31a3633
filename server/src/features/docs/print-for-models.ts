import { readBuilt } from "./read-docs-file.ts";
import { readOpenApi } from "./read-openapi.ts";

type Operation = { summary: string; tags: string[] };
type Document = { paths: Record<string, Record<string, Operation>> };
type Page = { path: string; title: string; section: string; description: string };

/**
 * A summary of the interface and the documentation for language models, in the format of llmstxt.org. Generated from
 * the document and the pages, so it stays correct.
 */
export async function printForModels(base_url: string): Promise<string> {
  const document = JSON.parse(await readOpenApi()) as Document;
  const pages = JSON.parse((await readBuilt("pages.json")) ?? "[]") as Page[];
  return `${introduction(base_url)}${listPages(base_url, pages)}\n## Paths\n\n${listPaths(document)}`;
}

function listPaths(document: Document): string {
  const areas = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!/^\/(sdk\/)?v1\//.test(path)) continue;
    for (const [method, { summary, tags }] of Object.entries(methods)) {
      const area = tags[0] ?? "";
      areas.set(area, [...(areas.get(area) ?? []), `- \`${method.toUpperCase()} ${path}\`: ${summary}`]);
    }
  }
  return [...areas].map(([area, lines]) => `### ${area}\n\n${lines.join("\n")}\n`).join("\n");
}

/** Each page as Markdown, which is what a model reads best. */
function listPages(base_url: string, pages: Page[]): string {
  const sections = [...new Set(pages.map(({ section }) => section))].map((section) => {
    const lines = pages
      .filter((page) => page.section === section)
      .map(({ path, title, description }) => `- [${title}](${base_url}/docs/${path || "index"}.md): ${description}`);
    return `\n## ${section}\n\n${lines.join("\n")}\n`;
  });
  return sections.join("");
}

function introduction(base_url: string): string {
  return `# Millrace

> Durable jobs and workflows over HTTP. A job is code behind an HTTP endpoint or in a worker; Millrace queues its runs,
> delivers each at least once, retries, and keeps the history. Workflows are steps that depend on each other: jobs,
> waits for events, sleeps, approvals, maps and other workflows.

- Base URL: ${base_url}
- Authentication: \`Authorization: Bearer svc_…\`, an API key of a project. Running jobs call \`/sdk/v1\` with the token of
  their dispatch (its header \`X-Svc-Run-Token\`), also as \`Authorization: Bearer …\`.
- Bodies are JSON in snake_case; unknown fields are rejected with 422 and their location. Times are ISO 8601 in UTC.
- Errors are one object: \`code\` is stable, \`detail\` is for people, \`errors\` lists \`{location, message, value}\`.
- Lists return \`{data, has_more, next_cursor}\` and accept \`limit\` (default 50, at most 100) and \`cursor\`.
- Triggers and sends are safe to repeat with the header \`Idempotency-Key\`.

## API

- [OpenAPI 3.1](${base_url}/openapi.json): every path with its fields
- [API reference](${base_url}/docs/api): the same, to read
- [All pages in one text](${base_url}/llms-full.txt)
`;
}
