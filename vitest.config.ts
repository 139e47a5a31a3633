import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { PROCESS_TEST_FILES, PROCESS_TESTS } from "./tools/process-tests.mjs";

/** Stages of CI. */
const STAGES = ["server/test/soak/service/", "dashboard/test/browser/"];
const SOAK_TESTS = ["server/test/soak/", "dashboard/test/soak/", "dashboard/test/browser/"];

const isNamed = (paths: string[]) => process.argv.some((arg) => paths.some((path) => `${arg}/`.startsWith(path)));
const isSoak = isNamed(SOAK_TESTS);
// Most soak tests write more than should be in memory.
if (isSoak && !isNamed(STAGES)) process.env.TEST_DATA_ON_DISK = "yes";

// One project, and one configuration for `npm run test:soak` too: for each further one vitest would transform the whole
// service again, 10 s on two cores. Browser tests and tests of processes are separate stages
// (`npm run test:soak -- browser`, `-- service`).
export default defineConfig({
  test: {
    include: ["{server,sdk,cli,dashboard,examples}/**/*.test.ts"],
    exclude: [
      "**/node_modules/**",
      ...(isSoak ? [] : SOAK_TESTS.map((path) => `${path}**`)),
      ...(isNamed(PROCESS_TESTS) ? [] : PROCESS_TEST_FILES),
    ],
    globalSetup: "server/test/world/global-setup.ts",
    setupFiles: "server/test/world/each-file.ts",
    // A worker and its PostgreSQL wait for each other. Each further worker imports the whole service, 3.5 s of CPU.
    maxWorkers: isSoak ? 2 : Math.min(4, availableParallelism() + 1),
    // A larger young generation saves 7 to 10 % of the CPU: requests and their rows die in it.
    execArgv: ["--max-semi-space-size=64"],
    // Files share a worker's modules, database and HTTP server: recreating them cost more than the tests.
    isolate: false,
    // Longer than the waits within a test, each of which names its condition when it times out.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    experimental: { fsModuleCache: true },
  },
});
