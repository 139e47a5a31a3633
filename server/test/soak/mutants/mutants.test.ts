import { afterAll, describe, expect, inject, it } from "vitest";
import type { TestConnection } from "../../world/database.ts";
import { type Outcome, writeEvidence } from "./evidence.ts";
import { limitConcurrency } from "./limit-concurrency.ts";
import { MUTANTS } from "./mutants.ts";
import { runTests } from "./run-tests.ts";

const CONCURRENCY = 2;
const MIN_KILLED = 0.95;
const HOUR_MS = 3_600_000;

const outcomes = new Map<string, Outcome>();
const limited = limitConcurrency(CONCURRENCY);

/** Each concurrent run uses a different PostgreSQL. */
function run(tests: readonly string[], mutant?: string) {
  const servers = inject("postgres");
  return limited((slot) => runTests(tests, servers[slot % servers.length] as TestConnection, mutant));
}

afterAll(() => {
  if (process.env.WRITE_EVIDENCE) writeEvidence(outcomes);
});

describe("mutants of the flow", () => {
  it.concurrent("are tried with tests that pass without them", { timeout: HOUR_MS }, async () => {
    const tests = [...new Set(MUTANTS.flatMap((mutant) => mutant.tests))];
    const { status, failed, output } = await run(tests);
    expect({ status, failed }, output).toEqual({ status: 0, failed: undefined });
  });

  for (const mutant of MUTANTS) {
    it.concurrent(mutant.name, { timeout: HOUR_MS }, async () => {
      const { status, failed, secs, output } = await run(mutant.tests, mutant.name);
      // A failure without a failed test means that the mutant does not load, which proves nothing.
      expect(status !== 0 && !failed, output).toBe(false);
      outcomes.set(mutant.name, { mutant, failed, secs });
      // On a busy machine a test may also fail because it had too little time: its message says so.
      const result = failed ? `${failed.file}: ${failed.title}: ${failed.message}` : "SURVIVED";
      console.info(`${mutant.name}: ${result}, ${secs.toFixed(0)} s`);
    });
  }

  // A survivor shows a missing test; a single one does not fail the suite.
  it(`are killed, at least ${MIN_KILLED * 100} % of them`, () => {
    const survivors = [...outcomes.values()].filter(({ failed }) => !failed).map(({ mutant }) => mutant.name);
    expect(outcomes.size).toBe(MUTANTS.length);
    expect(1 - survivors.length / MUTANTS.length, survivors.join("\n")).toBeGreaterThanOrEqual(MIN_KILLED);
  });
});
