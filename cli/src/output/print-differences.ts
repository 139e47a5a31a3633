import { printableText } from "@millrace/contract/schema/printable-text";
import type { Cli } from "../cli.ts";
import type { ExitName } from "../exit-codes.ts";
import { printRows } from "./print-rows.ts";

type Fields = Record<string, unknown>;
type Difference = { field: string; old: unknown; new: unknown };

const MAX_SHOWN = 60;

/** The fields of two objects that differ, each as its path: `payload.to`. Lists are compared as a whole. */
export function differencesOf(before: unknown, after: unknown, path = ""): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ field: path, old: before ?? null, new: after ?? null }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => differencesOf(before[name], after[name], path === "" ? name : `${path}.${name}`));
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Exits with 2 if there are any, as `diff` of other commands does. */
export async function printDifferences(
  cli: Cli,
  rows: readonly Difference[],
  { old, now, nothing }: { old: string; now: string; nothing: string },
): Promise<ExitName> {
  await printRows(cli, {
    rows,
    nothing,
    wraps: true,
    columns: [
      { title: "field", value: ({ field }) => field },
      { title: old, value: (row) => textOf(row.old), show: (row, { colors }) => colors.red(brief(row.old)) },
      { title: now, value: (row) => textOf(row.new), show: (row, { colors }) => colors.green(brief(row.new)) },
    ],
  });
  return rows.length === 0 ? "ok" : "changes";
}

function textOf(value: unknown): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function brief(value: unknown): string {
  const text = printableText(textOf(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
