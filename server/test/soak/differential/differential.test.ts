import { beforeAll, describe, expect, it, vi } from "vitest";
import { testSeed } from "../../seed/seed.ts";
import { useServices } from "../../service/start-service.ts";
import { scenarioSize } from "../../world/size.ts";
import { baselineRef, buildBaseline } from "./baseline.ts";
import { type Builds, runSequences } from "./run-sequences.ts";
import { startBuild } from "./start-build.ts";

useServices();
// A baseline with other packages is installed first.
vi.setConfig({ testTimeout: 12 * 3_600_000, hookTimeout: 3_600_000 });

const SEQUENCES = Number(process.env.SEQUENCES ?? scenarioSize({ quick: 20, usual: 200, whole: 5_000 }));
const CONCURRENCY = 12;

let builds: Builds;

beforeAll(async () => {
  builds = { baseline: await startBuild("baseline", buildBaseline()), current: await startBuild("current") };
});

describe("the current tree", () => {
  it(`behaves like ${baselineRef} in random sequences of operations`, async () => {
    const first = testSeed("differential");
    const startedAt = performance.now();
    const seeds = Array.from({ length: SEQUENCES }, (_, nth) => first + nth);
    const { sequences, operations, found } = await runSequences(builds, seeds, CONCURRENCY);
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    console.info(`${sequences} sequences, ${operations} operations, ${found.length} differ, ${minutes} min`);
    expect(found.map(({ seed }) => seed)).toEqual([]);
  });
});
