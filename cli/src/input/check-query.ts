import { CommandError } from "../command-error.ts";

/** Rejects an invalid query before it is sent, with the issues underlined. */
export async function checkQuery(query: string | undefined): Promise<void> {
  if (query === undefined) return;
  // Imported lazily: it pulls in the contract's schemas.
  const { parseQuery } = await import("@millrace/contract/query-language/parse-query");
  const parsed = parseQuery(query);
  if (parsed.ok) return;
  const issues = parsed.issues.map(({ start, end, message }) => {
    const mark = "^".repeat(Math.max(1, end - start));
    return `  ${query}\n  ${" ".repeat(start)}${mark} ${message}`;
  });
  throw new CommandError("usage", `The query is invalid:\n${issues.join("\n")}`, [
    "/docs/reference/query-language of the service has all terms.",
  ]);
}
