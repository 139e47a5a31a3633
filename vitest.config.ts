import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SlowProjectsFirst } from "./server/test/slow-projects-first.ts";

const soak = ["**/node_modules/**", "**/test/soak/**"];
const browser = ["dashboard/test/**/*.test.ts"];
const examples = ["examples/**/*.test.ts"];
/** What is built, packed, spawned or installed. */
const build = [
  "sdk/test/build.test.ts",
  "sdk/src/testing/**/*.test.ts",
  "cli/test/dev.test.ts",
  "cli/test/service.test.ts",
];
/** The database that the service brings, and the service as a process. */
const embedded = ["server/src/platform/embedded-postgres/**/*.test.ts", "server/test/service/**/*.test.ts"];
const all = ["{server,sdk,cli}/**/*.test.ts"];

export default defineConfig({
  test: {
    globalSetup: "server/test/global-setup.ts",
    maxWorkers: Math.max(2, Math.min(4, Math.floor(availableParallelism() / 2))),
    sequence: { sequencer: SlowProjectsFirst },
    projects: [
      project("browser", browser),
      project("examples", examples),
      project("build", build),
      project("embedded", embedded),
      project("service", all, [...build, ...embedded]),
    ],
  },
});

function project(name: string, include: string[], exclude: string[] = []) {
  return {
    test: {
      name,
      include,
      exclude: [...soak, ...exclude],
      setupFiles: "server/test/each-file.ts",
      // Files share a worker's modules, its database and its HTTP server: making them anew cost more than the tests.
      isolate: false,
      // Longer than the waits within a test, each of which says what it waited for.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
    },
  };
}
