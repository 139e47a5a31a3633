import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{contract,server,bench}/**/*.test.ts"],
    globalSetup: "server/test/global-setup.ts",
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
  },
});
