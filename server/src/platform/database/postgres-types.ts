import pg from "pg";
import { markLarge } from "../json/large-values.ts";
import { beginWork } from "../time-slices.ts";

/** pg names the types of single values only. */
const [UUID_LIST, TEXT_LIST] = [2_951, 1_009];
export const LIST_TYPES: ReadonlySet<number> = new Set([UUID_LIST, TEXT_LIST]);

const parseAnyList: (text: string) => (string | null)[] = pg.types.getTypeParser(TEXT_LIST as never, "text");

/** Quotes, escapes, nulls (also in lower case) and lists of lists; ids, states and slugs have none of them. */
const NOT_PLAIN = /["\\]|\bnull\b|^\{\{|^\[/i;

/**
 * Reads a list of texts as PostgreSQL writes it. The consumers of the changelog read three ids and states of each run,
 * and pg's own parser allocates an object for each character.
 */
export function listFromPostgres(text: string): (string | null)[] {
  if (NOT_PLAIN.test(text)) return parseAnyList(text);
  return text === "{}" ? [] : text.slice(1, -1).split(",");
}

const { builtins } = pg.types;

/** Times arrive as PostgreSQL's text, and 64-bit integers as numbers: rows are returned without mapping. */
export const millraceTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === builtins.TIMESTAMPTZ) return isoFromPostgres;
    if (oid === builtins.INT8) return exactInteger;
    if (LIST_TYPES.has(oid)) return listFromPostgres;
    if (oid === builtins.JSON || oid === builtins.JSONB) return parseJsonColumn;
    return pg.types.getTypeParser(oid, format ?? "text");
  }) as pg.CustomTypesConfig["getTypeParser"],
};

/** In characters: a longer text may take milliseconds to parse. */
const LARGE_JSON = 65_536;

function parseJsonColumn(text: string): unknown {
  if (text.length <= LARGE_JSON) return JSON.parse(text);
  beginWork();
  const value = JSON.parse(text);
  markLarge(value);
  return value;
}

function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is too large to be kept exactly`);
  return value;
}

/** `2026-11-15 19:00:00+00`; up to six fractional digits precede the zone. */
const WHOLE_SECONDS = 22;

/**
 * Converts PostgreSQL's text of a timestamptz to ISO 8601 with milliseconds. By position, for speed: every claimed run
 * has three.
 */
export function isoFromPostgres(text: string): string {
  if (isUtc(text))
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).slice(0, 3).padEnd(3, "0")}Z`;
  // A session in another time zone, or a year beyond 9999.
  return new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
}

/** Years with more digits have no blank there, years BC another suffix, other zones other digits. */
function isUtc(text: string): boolean {
  return text.length >= WHOLE_SECONDS && text[10] === " " && text[4] === "-" && text.endsWith("+00");
}
