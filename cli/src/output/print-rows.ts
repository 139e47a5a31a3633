import { printableText } from "@millrace/contract/schema/printable-text";
import type { Cli } from "../cli.ts";

export type Column<T> = {
  title: string;
  /** Full value, for programs. */
  value: (row: T) => string;
  /** Shortened or colored value, for people. Without it, they see the full value with control characters escaped. */
  show?: (row: T, cli: Cli) => string;
};

type Rows<T> = { rows: readonly T[]; hasMore?: boolean; columns: readonly Column<T>[]; nothing: string };

/** Prints a list as one document, one object per line, a table (terminal) or tab-separated lines (pipe). */
export async function printRows<T>(cli: Cli, { rows, hasMore = false, columns, nothing }: Rows<T>): Promise<void> {
  if (cli.format === "json") return void cli.write(`${JSON.stringify({ data: rows, has_more: hasMore }, null, 2)}\n`);
  if (cli.format === "ndjson") return void cli.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  if (rows.length === 0) return void cli.say(nothing);
  cli.write(cli.terminal.out ? await tableOf(cli, rows, columns) : tabsOf(rows, columns));
  if (hasMore) cli.say("There are more; raise --limit to see them.");
}

async function tableOf<T>(cli: Cli, rows: readonly T[], columns: readonly Column<T>[]): Promise<string> {
  const { default: Table } = await import("cli-table3");
  const table = new Table({
    head: columns.map(({ title }) => cli.colors.dim(title.toUpperCase())),
    chars: NO_LINES,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
  });
  for (const row of rows)
    table.push(columns.map(({ value, show }) => (show ? show(row, cli) : printableText(value(row)))));
  return `${withoutTrailingSpace(table.toString())}\n`;
}

function withoutTrailingSpace(text: string): string {
  return text.replaceAll(/[ \t]+$/gm, "");
}

const LINES = ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"];
const MORE_LINES = ["left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"];
const NO_LINES = Object.fromEntries([...LINES, ...MORE_LINES].map((name) => [name, ""]));

/** Without header or truncation, so that other commands accept the output of `cut -f1`. */
function tabsOf<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  return rows.map((row) => `${columns.map(({ value }) => oneLine(value(row))).join("\t")}\n`).join("");
}

function oneLine(value: string): string {
  return value.replaceAll(/[\t\r\n]+/g, " ");
}
