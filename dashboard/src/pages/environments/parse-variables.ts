import { ApiProblem } from "../../api/problem.ts";

/** Parses `NAME=value` lines as in a .env file. Skips empty lines and lines that start with #. */
export function parseVariables(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [nth, line] of text.split("\n").entries()) {
    if (line.trim() === "" || line.trim().startsWith("#")) continue;
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w{0,127})\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new ApiProblem({
        title: `Line ${nth + 1} is invalid`,
        detail: "Use NAME=value. A name consists of letters, digits and _.",
      });
    }
    variables[name] = unquoted(value.trim());
  }
  return variables;
}

function unquoted(value: string): string {
  const [, quote, inside] = /^(["'])(.*)\1$/.exec(value) ?? [];
  return quote && inside !== undefined ? inside : value;
}
