/** Removes one guard of the flow: `from` must occur exactly once in `file`. */
export type Mutant = {
  /** What the service does wrong without the guard. */
  name: string;
  /** Relative to `server/src/flow/`. */
  file: string;
  from: string;
  to: string;
  /** The test files that must detect it, cheapest first, relative to `server/src/`. */
  tests: readonly string[];
};
