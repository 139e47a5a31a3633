import { defineConfig } from "vitest/config";
import config from "./vitest.config.ts";

process.env.TEST_DATA_ON_DISK = "yes";

/** The campaigns of `npm run test:soak -- <name>`, one folder each: too long for every run of the tests. */
export default defineConfig({
  test: { ...config.test, include: ["{server,dashboard}/test/soak/**/*.test.ts"], exclude: [] },
});
