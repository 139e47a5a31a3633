import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { PROCESS_TEST_FILES, PROCESS_TESTS } from "./tools/process-tests.mjs";

const isNamed = process.argv.some((arg) => PROCESS_TESTS.some((path) => `${arg}/`.startsWith(path)));

// One project: each further one would transform and import the whole service again, 10 s on two cores. Browser tests
// and tests of processes are separate stages (`npm run test:soak -- browser`, `-- service`).
export default defineConfig({
  test: {
    include: ["{server,sdk,cli,dashboard,examples}/**/*.test.ts"],
    exclude: [
      "**/node_modules/**",
      "**/test/soak/**",
      "dashboard/test/browser/**",
      ...(isNamed ? [] : PROCESS_TEST_FILES),
    ],
    globalSetup: "server/test/world/global-setup.ts",
    setupFiles: "server/test/world/each-file.ts",
    // A worker and its PostgreSQL wait for each other. Each further worker imports the whole service, 3.5 s of CPU.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    // Files share a worker's modules, database and HTTP server: recreating them cost more than the tests.
    isolate: false,
    // Longer than the waits within a test, each of which names its condition when it times out.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    experimental: { fsModuleCache: true },
  },
});
