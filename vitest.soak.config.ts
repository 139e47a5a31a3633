import { defineConfig } from "vitest/config";
import { PROCESS_TEST_FILES } from "./tools/process-tests.mjs";

process.env.TEST_DATA_ON_DISK = "yes";

/** The soak tests of `npm run test:soak -- <name>`, one folder each: too long for every test run. */
export default defineConfig({
  test: {
    include: [
      "{server,dashboard}/test/soak/**/*.test.ts",
      "dashboard/test/browser/**/*.test.ts",
      ...PROCESS_TEST_FILES,
    ],
    globalSetup: "server/test/world/global-setup.ts",
    setupFiles: "server/test/world/each-file.ts",
    maxWorkers: 2,
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
