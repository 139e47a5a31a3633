import { type SourceFile, sourceFiles } from "./source-files.ts";

export type Statement = { path: string; line: number; text: string };

/** Every `sql` template in the source as written, including templates nested in its placeholders. */
export function allStatements(files: readonly SourceFile[] = sourceFiles()): Statement[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/\bsql(?:<[^`]*?>)?`/g)].map((match) => {
      const start = match.index + match[0].length;
      const line = text.slice(0, match.index).split("\n").length;
      return { path, line, text: text.slice(start, endOfTemplate(text, start)) };
    }),
  );
}

/** Returns where the template that begins at `start` ends. Placeholders may contain templates. */
function endOfTemplate(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "`") return at;
    else if (text.startsWith("${", at)) at = endOfHole(text, at + 2);
  }
  throw new Error("a template does not end");
}

function endOfHole(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "`") at = endOfTemplate(text, at + 1);
    else if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at;
  }
  throw new Error("a placeholder does not end");
}

/** The tables that a statement reads or writes. */
export function tablesOf(statement: string, known: ReadonlySet<string>): string[] {
  const named = statement.matchAll(/\b(?:from|join|into|update)\s+([a-z_]+)/gi);
  return [...new Set([...named].map((match) => match[1] ?? ""))].filter((name) => known.has(name));
}

/** The tables that a statement writes. */
export function tablesWrittenBy(statement: string, known: ReadonlySet<string>): string[] {
  const named = statement.matchAll(/\b(?:insert\s+into|delete\s+from|(?<!do )(?<!key )(?<!for )update)\s+([a-z_]+)/gi);
  return [...new Set([...named].map((match) => match[1] ?? ""))].filter((name) => known.has(name));
}
