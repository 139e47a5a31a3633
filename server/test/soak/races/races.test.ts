import { describe, vi } from "vitest";

// Set before the imports below, which read it.
process.env.TEST_WHOLE_SIZE = "yes";
vi.setConfig({ testTimeout: 1_800_000 });

/** The races of `npm test`, with many more rounds. */
const FILES = {
  "dependencies of runs": () => import("../../../src/flow/runs/dependencies/dependency-races.test.ts"),
  "operations on runs": () => import("../../../src/flow/runs/interleavings.test.ts"),
  "mixed operations": () => import("../../../src/flow/runs/count-transitions.test.ts"),
  "children of a canceled run": () => import("../../../src/features/sdk-runs/spawn-child.test.ts"),
  "the order of waiting runs": () => import("../../../src/flow/runs/order.test.ts"),
  claims: () => import("../../../src/flow/runs/claim/claim.test.ts"),
  limits: () => import("../../../src/flow/limits/limits.test.ts"),
  waits: () => import("../../../src/flow/events/wait-races.test.ts"),
  "waits of steps": () => import("../../../src/flow/waits/open-step-waits.test.ts"),
  compensations: () => import("../../../src/flow/workflows/compensate/compensate-races.test.ts"),
  maps: () => import("../../../src/flow/workflows/map/map-races.test.ts"),
  migrations: () => import("../../../src/flow/workflows/versions/migrate-races.test.ts"),
  "operations on workflow runs": () => import("../../../src/flow/workflows/operate/operate-races.test.ts"),
  "fan-in": () => import("../../../src/flow/workflows/map/fan-in.test.ts"),
  "pauses of runs that wait": () => import("../../../src/flow/events/operate-waits.test.ts"),
  "two limits": () => import("../../../src/flow/limits/limit-pairs.test.ts"),
  "triggers of a limited job": () => import("../../../src/flow/runs/create/start-limited.test.ts"),
  "pauses of a job": () => import("../../../src/flow/runs/stop/pause-races.test.ts"),
  "stops of workflow runs": () => import("../../../src/flow/workflows/stop/stop.test.ts"),
  "cancellations of runs": () => import("../../../src/features/runs/cancel-run.test.ts"),
};

for (const [name, load] of Object.entries(FILES)) describe(name, async () => void (await load()));
