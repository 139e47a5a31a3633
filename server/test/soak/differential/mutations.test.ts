import { beforeAll, describe, expect, it } from "vitest";
import { useServices } from "../../service/start-service.ts";
import { buildMutated } from "./build-mutated.ts";
import { printDifferences } from "./compare.ts";
import { FIXED_SEQUENCE, trigger } from "./fixed-sequence.ts";
import { MUTATIONS } from "./mutations.ts";
import { differencesOf, reduce } from "./run-sequences.ts";
import { type Build, startBuild } from "./start-build.ts";

useServices();

let current: Build;

beforeAll(async () => {
  current = await startBuild("current");
});

describe("the comparison", () => {
  it("shows no difference between a build and itself", async () => {
    const baseline = await startBuild("the same");
    const found = await differencesOf({ baseline, current }, FIXED_SEQUENCE);
    await baseline.stop();
    expect(printDifferences(found)).toBe("");
  });

  it.each(MUTATIONS)("finds a build that $name", async (mutation) => {
    const mutated = await startBuild("mutated", await buildMutated(mutation));
    const found = await differencesOf({ baseline: current, current: mutated }, FIXED_SEQUENCE);
    await mutated.stop();
    console.info(`a build that ${mutation.name}: ${found.length} differences\n${printDifferences(found, 3)}`);
    expect(found.map(({ path }) => path).filter((path) => mutation.shownIn.test(path))).not.toEqual([]);
  });

  it("reduces a sequence to the shortest prefix that differs", async () => {
    const mutation = MUTATIONS.find(({ file }) => file === "flow/runs/settle/plan-settle.ts");
    if (!mutation) throw new Error("there is no mutation of max_attempts");
    const mutated = await startBuild("mutated", await buildMutated(mutation));
    const { operations, isRepeatable } = await reduce({ baseline: current, current: mutated }, FIXED_SEQUENCE, []);
    await mutated.stop();
    expect({ isRepeatable, last: operations.at(-1), count: operations.length }).toEqual({
      ...{ isRepeatable: true, count: 4 },
      last: trigger({ n: 3, do: "fail", times: 5 }),
    });
  });
});
