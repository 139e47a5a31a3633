import type { EventRow } from "./queries.ts";

const COLUMNS = [
  ...["created_at", "id", "actor_kind", "actor_id", "actor_name", "action", "resource_type", "resource_id"],
  ...["before", "after", "ip", "user_agent", "request_id", "chain_no", "hash"],
] as (keyof EventRow)[];

export function csvHeader(): string {
  return `${COLUMNS.join(",")}\r\n`;
}

export function csvLine(event: EventRow): string {
  return `${COLUMNS.map((column) => cell(event[column])).join(",")}\r\n`;
}

/** Prefixes text that a spreadsheet would run as a formula with an apostrophe: names are user input. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
