/**
 * Tests that start the service, the CLI, PostgreSQL or a build as separate processes, run the demo in real time, compile
 * documentation, or test the harness of the soak tests. They take a third as long as all others together, so they run
 * with `npm run test:soak -- service`, a stage of CI, and with `npm test` when named.
 */
export const PROCESS_TESTS = [
  "cli/test/",
  "examples/",
  "sdk/src/testing/",
  "sdk/test/build.test.ts",
  "sdk/test/editor/",
  "sdk/test/worker-signal.test.ts",
  "server/src/features/home/",
  "server/src/features/streams/kill.test.ts",
  "server/src/features/webhook-deliveries/kill.test.ts",
  "server/src/demo/",
  "server/src/main/rewrap-everything.test.ts",
  "server/src/platform/embedded-postgres/",
  "server/test/docs/",
  "server/test/harness/",
  "server/test/openapi/",
  "server/test/service/",
];

/** Glob patterns of these test files. */
export const PROCESS_TEST_FILES = PROCESS_TESTS.map((path) => (path.endsWith("/") ? `${path}**/*.test.ts` : path));
