import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{contract,server,bench}/**/*.test.ts"],
    testTimeout: 15_000,
    hookTimeout: 30_000,
  },
});
