import type { TriggerItem } from "@millrace/contract/events/triggers";

export type ParsedItems = { ok: true; items: TriggerItem[] } | { ok: false; message: string };

const FIELDS = new Set([
  "payload",
  "metadata",
  "tags",
  "priority",
  "concurrency_key",
  "idempotency_key",
  "scheduled_at",
  "delay_secs",
  "timeout_secs",
  "max_attempts",
  "environment_id",
  "parent_run_id",
  "depends_on_run_ids",
]);

/** Parses a JSON array, JSON Lines or CSV with a header row into items of a bulk trigger. */
export function parseItems(text: string): ParsedItems {
  const trimmed = text.trim();
  if (trimmed === "") return { ok: true, items: [] };
  if (trimmed.startsWith("[")) return fromJson(trimmed);
  return trimmed.startsWith("{") ? fromLines(trimmed) : fromCsv(trimmed);
}

function fromJson(text: string): ParsedItems {
  try {
    const list = JSON.parse(text) as unknown[];
    return { ok: true, items: list.map(asItem) };
  } catch (error) {
    return { ok: false, message: `Not a JSON array: ${(error as Error).message}.` };
  }
}

function fromLines(text: string): ParsedItems {
  const items: TriggerItem[] = [];
  for (const [nth, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      items.push(asItem(JSON.parse(line)));
    } catch {
      return { ok: false, message: `Line ${nth + 1} is not valid JSON.` };
    }
  }
  return { ok: true, items };
}

function fromCsv(text: string): ParsedItems {
  const [head = [], ...rows] = cellsOf(text);
  const wrong = rows.findIndex((row) => row.length !== head.length);
  if (rows.length === 0) return { ok: false, message: "CSV needs a header row and at least one data row." };
  if (wrong !== -1)
    return {
      ok: false,
      message: `Line ${wrong + 2} has ${rows[wrong]?.length} fields, the header has ${head.length}.`,
    };
  return {
    ok: true,
    items: rows.map((row) => ({
      payload: Object.fromEntries(head.map((name, nth) => [name, plainValue(row[nth] ?? "")])),
    })),
  };
}

/** RFC 4180: quoted cells may contain commas and line breaks; quotes inside are doubled. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  let [row, cell, isQuoted]: [string[], string, boolean] = [[], "", false];
  const endRow = () => {
    rows.push([...row, cell]);
    [row, cell] = [[], ""];
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (isQuoted && letter === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (letter === "," && !isQuoted) {
      row.push(cell);
      cell = "";
    } else if (letter === "\n" && !isQuoted) endRow();
    else if (letter !== "\r") cell += letter;
  }
  endRow();
  return rows;
}

/** Converts numbers, true, false and null. Values with a leading zero stay text, like postal codes. */
function plainValue(text: string): unknown {
  if (text === "true" || text === "false" || text === "null") return JSON.parse(text);
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && text.length < 16 ? Number(text) : text;
}

/** An object that has only trigger fields is an item; anything else is a payload. */
function asItem(value: unknown): TriggerItem {
  const isItem =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.hasOwn(value, "payload") &&
    Object.keys(value).every((name) => FIELDS.has(name));
  return isItem ? (value as TriggerItem) : { payload: value };
}
