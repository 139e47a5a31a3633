/** One guard of the flow, taken away: `from` stands exactly once in `file`. */
export type Mutant = {
  /** What the service does without the guard. */
  name: string;
  /** Below `server/src/flow/`. */
  file: string;
  from: string;
  to: string;
  /** The test files that must notice it, the cheapest first, below `server/src/`. */
  tests: readonly string[];
};
