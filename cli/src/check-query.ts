import { CommandError } from "./command-error.ts";

/** Refuses a query that cannot be read before it is sent, with what is wrong underlined. */
export async function checkQuery(query: string | undefined): Promise<void> {
  if (query === undefined) return;
  // Loaded only here: it brings the schemas of the contract along.
  const { parseQuery } = await import("@millrace/contract/query-language");
  const parsed = parseQuery(query);
  if (parsed.ok) return;
  const faults = parsed.issues.map(({ start, end, message }) => {
    const mark = "^".repeat(Math.max(1, end - start));
    return `  ${query}\n  ${" ".repeat(start)}${mark} ${message}`;
  });
  throw new CommandError("usage", `The query cannot be read:\n${faults.join("\n")}`, [
    "docs/query-language.md has every term.",
  ]);
}
