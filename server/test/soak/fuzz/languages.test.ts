import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { testSeed } from "../../seed/seed.ts";
import { bundleForTests } from "../../world/bundle-for-tests.ts";
import { scenarioSize } from "../../world/size.ts";
import type { Fuzzed } from "./fuzz-language.ts";
import { LANGUAGES } from "./languages/all-languages.ts";

/** Whichever comes first, for each language. */
const INPUTS = Number(process.env.INPUTS ?? scenarioSize({ quick: 2_000, usual: 10_000, whole: 1_000_000 }));
const MINUTES = Number(process.env.MINUTES ?? scenarioSize({ quick: 5, usual: 5, whole: 15 }));
const seed = testSeed("fuzz-languages");
const PROGRAM = await bundleForTests("server/test/soak/fuzz/fuzz-language.ts", "server/dist/fuzz-language.js");

describe("texts that users write, mutated for coverage", { timeout: 4 * 3_600_000 }, () => {
  it.each(Object.keys(LANGUAGES))("%s: read without an exception, within 100 ms of CPU", async (name) => {
    const startedAt = performance.now();
    const { problems, inputs, accepted, kept, paths, slowest_ms } = await fuzz(name);
    const minutes = (performance.now() - startedAt) / 60_000;
    console.info(
      `${name}: ${inputs} inputs in ${minutes.toFixed(1)} min, ${accepted} accepted, ${kept} reached new code, ${paths} paths through functions, slowest ${slowest_ms.toFixed(0)} ms of CPU`,
    );
    expect(problems, `TEST_SEED=${seed}`).toEqual([]);
    expect(accepted).toBeGreaterThan(inputs / 200);
    expect(kept).toBeGreaterThan(0);
  });
});

async function fuzz(name: string): Promise<Fuzzed> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    PROGRAM,
    name,
    ...[seed, INPUTS, MINUTES].map(String),
  ]);
  return JSON.parse(stdout);
}
