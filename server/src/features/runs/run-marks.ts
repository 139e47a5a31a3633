import { type RawBuilder, sql } from "kysely";

/**
 * A block says which terms its runs hold together; the marks tell them apart. Each run has 256 bits, and each of its
 * terms sets three: a run that lacks one of a term's bits does not hold it. With 25 terms, one run in 60 passes in vain.
 */
const BYTES = 32;
const TERM_BITS = 24;

/** The bits of a term of 24 bits: one by each of its bytes. */
const bitsOf = (term: number) => [term & 0xff, (term >>> 8) & 0xff, (term >>> 16) & 0xff];

/** One after the other, as hexadecimal digits. No list is made on the way: every run that ends comes by here. */
export function marksOf(runs: readonly (readonly number[])[]): string {
  const marks = Buffer.alloc(runs.length * BYTES);
  for (const [nth, terms] of runs.entries()) {
    for (const term of terms) {
      for (let shift = 0; shift < TERM_BITS; shift += 8) setBit(marks, nth, (term >>> shift) & 0xff);
    }
  }
  return marks.toString("hex");
}

function setBit(marks: Buffer, nth: number, bit: number): void {
  const at = nth * BYTES + (bit >>> 3);
  marks[at] = (marks[at] ?? 0) | (1 << (bit & 7));
}

/** That the run at the place `nth` of its block may hold all terms of one list and one of each of the others. */
export function mayHold(all_of: readonly number[], any_of: readonly number[][]): RawBuilder<unknown> {
  const each = [...all_of.map(holds), ...any_of.map((terms) => sql`(${sql.join(terms.map(holds), sql` or `)})`)];
  return each.length === 0 ? sql`true` : sql`(marks is null or (${sql.join(each, sql` and `)}))`;
}

const holds = (term: number) => sql`(${sql.join(bitsOf(term).map(isSet), sql` and `)})`;

const isSet = (bit: number) =>
  sql`get_byte(marks, (nth::int - 1) * ${sql.lit(BYTES)} + ${bit >>> 3}::int) & ${1 << (bit & 7)}::int <> 0`;
