import { describe, vi } from "vitest";

// Set before the imports below, which read it.
process.env.TEST_WHOLE_SIZE = "yes";
vi.setConfig({ testTimeout: 12 * 3_600_000 });

/** The simulations of `npm test`, with many more seeds (`SEEDS`) and all pairs of operations. */
const FILES = {
  simulation: () => import("../../simulation/simulation.test.ts"),
  pairs: () => import("../../simulation/pairs.test.ts"),
};

for (const [name, load] of Object.entries(FILES)) describe(name, async () => void (await load()));
