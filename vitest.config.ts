import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{server,sdk,cli,dashboard,examples}/**/*.test.{ts,tsx}"],
    exclude: ["**/node_modules/**", "server/test/soak/**", "dashboard/test/soak/**"],
    globalSetup: "server/test/global-setup.ts",
    setupFiles: "server/test/each-file.ts",
    maxWorkers: 2,
    // Files share a worker's modules: importing the service anew for each cost more than the tests. Each has its own database.
    isolate: false,
    // Longer than the waits within a test, each of which says what it waited for. Whoever follows a log waits at every turn
    // for the transactions of the files beside it, of which some take seconds on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Less than the five seconds after which streams look without a wake-up; the default is one.
    expect: { poll: { timeout: 4_500 } },
  },
});
