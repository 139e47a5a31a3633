import { stripVTControlCharacters } from "node:util";
import { printableText } from "@millrace/contract/schema/printable-text";
import type { Cli } from "../cli.ts";
import { fitColumns, GAP } from "./fit-columns.ts";

export type Column<T> = {
  title: string;
  /** Full value, for programs. */
  value: (row: T) => string;
  /** Shortened or colored value, for people. Without it, they see the full value with control characters escaped. */
  show?: (row: T, cli: Cli) => string;
  /** Left out first where the terminal is too narrow. */
  isMinor?: boolean;
};

type Rows<T> = {
  rows: readonly T[];
  hasMore?: boolean;
  columns: readonly Column<T>[];
  nothing: string;
  /** On a narrow terminal, long cells continue on the next line instead of being cut: they are what was asked for. */
  wraps?: boolean;
};

/** Prints a list as one document, one object per line, a table (terminal) or tab-separated lines (pipe). */
export async function printRows<T>(cli: Cli, given: Rows<T>): Promise<void> {
  const { rows, hasMore = false, columns, nothing } = given;
  if (cli.format === "json") return void cli.write(`${JSON.stringify({ data: rows, has_more: hasMore }, null, 2)}\n`);
  if (cli.format === "ndjson") return void cli.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  if (rows.length === 0) return void cli.say(nothing);
  cli.write(cli.terminal.out ? await tableOf(cli, given) : tabsOf(rows, columns));
  if (hasMore) cli.say("There are more; raise --limit to see them.");
}

async function tableOf<T>(cli: Cli, { rows, columns, wraps = false }: Rows<T>): Promise<string> {
  const { default: Table } = await import("cli-table3");
  const cells = columns.map(({ title, value, show }) => [
    cli.colors.dim(title.toUpperCase()),
    ...rows.map((row) => (show ? show(row, cli) : printableText(value(row)))),
  ]);
  const measured = cells.map((column, nth) => ({
    natural: Math.max(...column.map(widthOf)),
    isMinor: columns[nth]?.isMinor ?? false,
  }));
  const widths = fitColumns(measured, cli.terminal.columns);
  const shown = cells.filter((_, nth) => widths.has(nth));
  const [head = [], ...lines] = (shown[0] ?? []).map((_, line) => shown.map((column) => column[line] ?? ""));
  const table = new Table({
    head,
    chars: NO_LINES,
    wordWrap: wraps,
    colWidths: [...widths.values()].map((width) => width + GAP),
    style: { head: [], border: [], "padding-left": 0, "padding-right": GAP },
  });
  table.push(...lines);
  return `${withoutTrailingSpace(table.toString())}\n`;
}

function widthOf(cell: string): number {
  return Math.max(
    ...stripVTControlCharacters(cell)
      .split("\n")
      .map(({ length }) => length),
  );
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
