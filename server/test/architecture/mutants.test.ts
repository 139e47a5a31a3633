import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edit } from "../soak/differential/build-mutated.ts";
import { MUTATIONS as DIFFERENTIAL } from "../soak/differential/mutations.ts";
import { MUTANTS } from "../soak/mutants/mutants.ts";
import { mutated, pathOf } from "../soak/mutants/mutate.ts";
import { MUTATIONS as RECOUNT } from "../soak/recount/mutations.ts";
import { SMALL_BLOCKS } from "../soak/recount/small-blocks.ts";

const SOURCES = join(import.meta.dirname, "..", "..", "src");

// The soak suite `mutants` takes half an hour; a change of the flow should not leave it with text that is gone.
describe("the mutants of the flow", () => {
  it("have unique names", () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  it.each(MUTANTS)("$name: changes its file in exactly one place, and its tests exist", (mutant) => {
    const source = readFileSync(pathOf(mutant), "utf8");
    expect(mutated(source, mutant)).not.toBe(source);
    expect(mutant.tests.filter((test) => !existsSync(join(SOURCES, test)))).toEqual([]);
  });
});

describe("the builds with a fault", () => {
  it.each([...DIFFERENTIAL, ...RECOUNT, ...SMALL_BLOCKS])("change $file in exactly one place", (mutation) => {
    const source = readFileSync(join(SOURCES, mutation.file), "utf8");
    expect(edit(source, mutation)).not.toBe(source);
  });
});
