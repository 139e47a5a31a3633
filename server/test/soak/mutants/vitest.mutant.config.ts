import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { MUTANTS } from "./mutants.ts";
import { mutate } from "./mutate.ts";

const mutant = MUTANTS.find(({ name }) => name === process.env.MUTANT);
if (process.env.MUTANT && !mutant) throw new Error(`there is no mutant "${process.env.MUTANT}"`);

/** The cheapest test file first, as the mutant lists them. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) =>
      mutant?.tests.findIndex((test) => moduleId.endsWith(test)) ?? 0;
    return files.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

/** Runs test files against one mutant, or against none. Started by `mutants.test.ts`, which owns the PostgreSQL. */
export default defineConfig({
  root: fileURLToPath(new URL("../../../../", import.meta.url)),
  plugins: [mutate(mutant)],
  test: {
    include: ["server/src/**/*.test.ts"],
    globalSetup: "server/test/soak/mutants/share-postgres.ts",
    setupFiles: "server/test/world/each-file.ts",
    maxWorkers: 1,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: AsListed },
    experimental: { fsModuleCache: true },
  },
});
