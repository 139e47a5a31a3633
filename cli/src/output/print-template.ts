import { printableText } from "@millrace/contract/schema/printable-text";
import type { Cli } from "../cli.ts";
import { CommandError } from "../command-error.ts";

const FIELD = /\{\{\s*([\w$-]+(?:\.[\w$-]+)*)\s*\}\}/g;

/** With --template, each object that a command prints as a line of JSON becomes a line of this text instead. */
export function printTemplate(
  { format, write, terminal }: Cli,
  { template }: Record<string, unknown>,
): Pick<Cli, "format" | "write"> {
  if (typeof template !== "string") return { format, write };
  if (format !== "human") throw new CommandError("usage", "Use --template, --json or --ndjson, not several of them.");
  if (template.search(FIELD) < 0) {
    throw new CommandError("usage", `The template "${template}" names no field.`, ["Write it as '{{id}} {{status}}'."]);
  }
  const text = template.replaceAll("\\t", "\t").replaceAll("\\n", "\n");
  const shown = (value: string) => (terminal.out ? printableText(value) : value);
  let rest = "";
  return {
    format: "ndjson",
    write: (written) => {
      const lines = `${rest}${written}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") write(`${render(text, parse(line), shown)}\n`);
    },
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new CommandError("usage", "This command prints no objects, so --template does not apply to it.");
  }
}

/** A field that is missing or null is empty; an object or a list is JSON. */
function render(text: string, object: unknown, shown: (value: string) => string): string {
  return text.replaceAll(FIELD, (_, path: string) => {
    const value = path.split(".").reduce<unknown>((inner, name) => fieldOf(inner, name), object);
    if (value === undefined || value === null) return "";
    return shown(typeof value === "string" ? value : JSON.stringify(value));
  });
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
