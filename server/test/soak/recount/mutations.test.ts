import { describe, expect, it, vi } from "vitest";
import { useServices } from "../../service/start-service.ts";
import { type Difference, printDifferences } from "../differential/compare.ts";
import { FIXED_SEQUENCE } from "../differential/fixed-sequence.ts";
import type { Mutation } from "../differential/mutations.ts";
import { startBuild } from "../differential/start-build.ts";
import { MUTATIONS } from "./mutations.ts";
import { readRepairs } from "./read-repairs.ts";
import { playAndRecount } from "./recount-project.ts";
import { buildWithSmallBlocks } from "./small-blocks.ts";

useServices();
// Until a part equals the tables, or for six rounds in which each waits for a consumer that never catches up.
vi.setConfig({ testTimeout: 600_000 });

describe("the recount", () => {
  it("shows no difference in a build without a fault", async () => {
    expect(printDifferences(await differencesOf())).toBe("");
  });

  it.each(MUTATIONS)("finds a build that $name", async (mutation) => {
    const differences = await differencesOf(mutation);
    console.info(
      `a build that ${mutation.name}: ${differences.length} differences\n${printDifferences(differences, 3)}`,
    );
    expect(differences.map(({ path }) => path).filter((path) => mutation.shownIn.test(path))).not.toEqual([]);
  });
});

/** What was repaired is a difference too, as it was one before. */
async function differencesOf(mutation?: Mutation): Promise<Difference[]> {
  const name = mutation ? `recount-mutant-${MUTATIONS.indexOf(mutation)}` : "recount-no-fault";
  const build = await startBuild(name, await buildWithSmallBlocks(name, mutation && [mutation]));
  const { differences } = await playAndRecount(build, FIXED_SEQUENCE, 1);
  const repairs = (await readRepairs(build)).map((line) => ({
    path: `repairs › ${line}`,
    baseline: "0",
    current: line,
  }));
  await build.stop();
  return [...differences, ...repairs];
}
