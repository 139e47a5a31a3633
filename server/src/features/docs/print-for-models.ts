import { readOpenApi } from "./read-docs-file.ts";

type Operation = { summary: string; tags: string[] };
type Document = { paths: Record<string, Record<string, Operation>> };

/**
 * A summary of the interface for language models, in the format of llmstxt.org. Generated from the document, so it
 * stays correct.
 */
export async function printForModels(base_url: string): Promise<string> {
  const document = JSON.parse(await readOpenApi()) as Document;
  const areas = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!/^\/(sdk\/)?v1\//.test(path)) continue;
    for (const [method, { summary, tags }] of Object.entries(methods)) {
      const area = tags[0] ?? "";
      areas.set(area, [...(areas.get(area) ?? []), `- \`${method.toUpperCase()} ${path}\`: ${summary}`]);
    }
  }
  const paths = [...areas].map(([area, lines]) => `### ${area}\n\n${lines.join("\n")}\n`);
  return `${introduction(base_url)}\n## Paths\n\n${paths.join("\n")}`;
}

function introduction(base_url: string): string {
  return `# Millrace

> Durable jobs and workflows over HTTP. A job is work behind an HTTP endpoint; Millrace decides when it runs, calls the
> endpoint at least once, retries, and keeps the history. Workflows are steps that depend on each other: jobs, waits
> for events, sleeps, approvals, maps and other workflows.

- Base URL: ${base_url}
- Authentication: \`Authorization: Bearer svc_…\`, an API key of a project. Running jobs call \`/sdk/v1\` with the token of
  their dispatch, \`X-Svc-Run-Token\`.
- Bodies are JSON in snake_case; unknown fields are rejected with 422 and their location. Times are ISO 8601 in UTC.
- Errors are one object: \`code\` is stable, \`detail\` is for people, \`errors\` lists \`{location, message, value}\`.
- Lists return \`{data, has_more, next_cursor}\` and accept \`limit\` (default 50, at most 100) and \`cursor\`.
- Triggers and sends are safe to repeat with the header \`Idempotency-Key\`.

## Reference

- [OpenAPI 3.1](${base_url}/openapi.json): every path with its fields
- [Reference page](${base_url}/docs): the same, to read and try
`;
}
