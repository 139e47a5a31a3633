import { type Sql, sql } from "../../../platform/database/sql.ts";

/**
 * A block stores the terms of all its runs together; `bloom_filters` has a Bloom filter per run. Each run has 256 bits, and
 * each of its terms sets three: a run that lacks one of a term's bits does not have it. With 25 terms, one run in 60 is
 * a false positive.
 */
const BYTES = 32;
const TERM_BITS = 24;

/** The three bits of a 24-bit term: one for each of its bytes. */
const bitsOf = (term: number) => [term & 0xff, (term >>> 8) & 0xff, (term >>> 16) & 0xff];

/** Concatenated. Allocates no lists: this runs for every run that ends. */
export function bloomFiltersOf(runs: readonly (readonly number[])[]): Buffer {
  const filters = Buffer.alloc(runs.length * BYTES);
  for (const [nth, terms] of runs.entries()) {
    for (const term of terms) {
      for (let shift = 0; shift < TERM_BITS; shift += 8) setBit(filters, nth, (term >>> shift) & 0xff);
    }
  }
  return filters;
}

function setBit(filters: Buffer, nth: number, bit: number): void {
  const at = nth * BYTES + (bit >>> 3);
  filters[at] = (filters[at] ?? 0) | (1 << (bit & 7));
}

/** True if the run at position `nth` of its block may have all terms of `all_of` and one of each list of `any_of`. */
export function mayHold(all_of: readonly number[], any_of: readonly number[][]): Sql {
  const each = [...all_of.map(holds), ...any_of.map((terms) => sql`(${sql.join(terms.map(holds), sql` or `)})`)];
  return each.length === 0 ? sql`true` : sql`(bloom_filters is null or (${sql.join(each, sql` and `)}))`;
}

const holds = (term: number) => sql`(${sql.join(bitsOf(term).map(isSet), sql` and `)})`;

const isSet = (bit: number) =>
  sql`get_byte(bloom_filters, (nth::int - 1) * ${sql.lit(BYTES)} + ${bit >>> 3}::int) & ${1 << (bit & 7)}::int <> 0`;
