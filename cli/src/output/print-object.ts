import { printableText } from "@millrace/contract/schema/printable-text";
import type { Cli } from "../cli.ts";

/** Prints an object as JSON, or its non-empty facts line by line. */
export function printObject(
  cli: Cli,
  object: unknown,
  facts: () => readonly [string, string | null | undefined][],
): void {
  if (cli.format !== "human") return void printJson(cli, object);
  const shown = facts().filter((fact): fact is [string, string] => fact[1] != null && fact[1] !== "");
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown) {
    cli.write(`${cli.colors.dim(name.padEnd(width))}  ${indented(printableText(value), width + 2)}\n`);
  }
}

/** Prints one line for `--ndjson`, otherwise an indented document. */
export function printJson(cli: Cli, value: unknown): void {
  cli.write(`${cli.format === "ndjson" ? JSON.stringify(value) : JSON.stringify(value, null, 2)}\n`);
}

function indented(text: string, by: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(by)}`);
}
