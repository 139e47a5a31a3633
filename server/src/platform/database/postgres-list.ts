import pg from "pg";

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
