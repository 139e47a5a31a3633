import { beforeAll, describe, expect, it, vi } from "vitest";
import { testSeed } from "../../seed/seed.ts";
import { useServices } from "../../service/start-service.ts";
import { scenarioSize } from "../../world/size.ts";
import { printDifferences } from "../differential/compare.ts";
import { printOperation } from "../differential/operation.ts";
import { randomSequence } from "../differential/random-sequence.ts";
import { type Build, startBuild } from "../differential/start-build.ts";
import { readRepairs } from "./read-repairs.ts";
import { playAndRecount } from "./recount-project.ts";
import { buildWithSmallBlocks } from "./small-blocks.ts";

useServices();
vi.setConfig({ testTimeout: 12 * 3_600_000, hookTimeout: 900_000 });

const SEQUENCES = Number(process.env.SEQUENCES ?? scenarioSize({ quick: 20, usual: 200, whole: 5_000 }));
const AT_ONCE = Number(process.env.AT_ONCE ?? 36);
const REPORT_EVERY = 100;
/** No sequence begins after this time. */
const MINUTES = Number(process.env.MINUTES ?? 720);

let build: Build;
beforeAll(async () => {
  build = await startBuild("small blocks", await buildWithSmallBlocks());
});

describe("what the consumers of the changelog have made of random operations", () => {
  it("equals the tables, counted from scratch", async () => {
    const first = testSeed("recount");
    const [startedAt, left] = [performance.now(), Array.from({ length: SEQUENCES }, (_, nth) => first + nth)];
    const differing: number[] = [];
    const sent = new Map<string, number>();
    let done = 0;
    const isOver = () => performance.now() - startedAt > MINUTES * 60_000;
    async function work(): Promise<void> {
      for (let seed = left.shift(); seed !== undefined && !isOver(); seed = left.shift()) {
        const operations = randomSequence(seed);
        const { differences, statuses } = await playAndRecount(build, operations, seed);
        for (const status of statuses) {
          // 503: no free connection for a moment. Whether the operation took effect is in the tables that are counted.
          const kind = status === 0 ? "nothing to act on" : status === 503 ? "503" : `${Math.floor(status / 100)}xx`;
          sent.set(kind, (sent.get(kind) ?? 0) + 1);
        }
        if (++done % REPORT_EVERY === 0) console.info(`${done} sequences`);
        if (differences.length === 0) continue;
        differing.push(seed);
        console.info([`── seed ${seed}`, ...operations.map(printOperation), printDifferences(differences)].join("\n"));
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    const operations = [...sent].map(([kind, count]) => `${count} ${kind}`).join(", ");
    console.info(
      `${done} sequences from seed ${first} in ${minutes} min; responses: ${operations}; ${differing.length} differ`,
    );
    expect(differing).toEqual([]);
    expect(sent.get("5xx") ?? 0).toBe(0);
    expect(await readRepairs(build)).toEqual([]);
  });
});
